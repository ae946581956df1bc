// The page with a stand-in for the daemon: what it says when answers are errors.
//
//   node --test stand_in_test.mjs     with HEDDLE_BIN (directory of heddle-topo) and HEDDLE_MAP_PAGE in the environment

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { readNet, StandIn, topologyOf } from "./stand_in.mjs";
import { Browser, KEYS } from "./webdriver.mjs";

const BIN = process.env.HEDDLE_BIN;
const PAGE = process.env.HEDDLE_MAP_PAGE;
const SCREENSHOTS = process.env.HEDDLE_SCREENSHOTS; // a directory: pictures of what is tested are kept there

function net(...kind) {
  return readNet(execFileSync(join(BIN, "heddle-topo"), kind, { maxBuffer: 1 << 28, encoding: "utf8" }));
}
const small = () => topologyOf(net("fat-tree", "--hosts", "72", "--radix", "12"), "tree");

let browser;
before(async () => {
  browser = await Browser.start();
});
after(() => browser?.stop());

async function withPage(topology, run, path = "/map") {
  const daemon = new StandIn(PAGE, topology);
  const port = await daemon.listen();
  try {
    await run(daemon, `http://127.0.0.1:${port}${path}`);
  } finally {
    await browser.open("about:blank");
    await daemon.close();
  }
}
const drawn = () => browser.until("a drawing", "return performance.getEntriesByName('heddle-map-first-drawing').length > 0");
const notice = (text) => browser.until(`the notice "${text}"`, "return document.getElementById('notice').textContent.includes(arguments[0])", text);

test("ErrorsAreShownInPlainWordsAndEndByThemselves", () =>
  withPage(small(), async (daemon, url) => {
    daemon.fails.set("/v1/topology", [401, { status: 401, detail: "The password is wrong." }]);
    await browser.open(url);
    await notice("does not know this user");
    daemon.fails.set("/v1/topology", [503, { status: 503, detail: "No sweep has ended.", remedy: "Try again." }]);
    await notice("cannot answer now. No sweep has ended. Try again.");
    daemon.fails.clear();
    await drawn();
    await browser.until("no notice", "return document.getElementById('notice').hidden");
  }));

test("AStandbySaysSo", () =>
  withPage(small(), async (daemon, url) => {
    daemon.state = "Standby";
    await browser.open(url);
    await drawn();
    await notice("This manager is STANDBY; master is sm-1");
    await browser.until("live", "return document.getElementById('live').textContent === 'live'");
    daemon.state = "Master"; // the fabric is the same
    daemon.send({ id: "1", time: new Date().toISOString(), kind: "state_changed", severity: "info", text: "this manager is Master, was Standby" });
    await browser.until("no notice", "return document.getElementById('notice').hidden");
  }));

test("WithoutAFabricThePageSaysSoAndWaits", () => {
  const whole = small();
  const columns = (part) => Object.fromEntries(Object.keys(part).map((name) => [name, []]));
  const empty = { ...whole, snapshot: "0", kind: "no_switches", nodes: columns(whole.nodes), links: columns(whole.links) };
  return withPage(empty, async (daemon, url) => {
    await browser.open(url);
    await notice("No sweep has ended yet");
    daemon.topology = whole;
    await browser.until("live", "return document.getElementById('live').textContent === 'live'");
    daemon.send({ id: "1", time: new Date().toISOString(), kind: "snapshot", severity: "info", text: "first" });
    await drawn();
  });
});

test("TextOfTheFabricIsNeverMarkup", () => {
  const topology = small();
  topology.nodes.description = topology.nodes.description.map(() => "<img src=x onerror=alert(1)>");
  return withPage(topology, async (_, url) => {
    await browser.open(url);
    await drawn();
    await browser.evaluate("document.getElementById('overlay').focus()");
    await browser.press(KEYS.right);
    await browser.until("the selection", "return document.querySelector('#panel-selection h3')?.textContent.includes('<img src=x')");
    assert.equal(await browser.evaluate("return document.images.length"), 0);
  });
});

test("ResumesEventsByIdAndShowsThem", () =>
  withPage(small(), async (daemon, url) => {
    await browser.open(url);
    await drawn();
    await browser.until("live", "return document.getElementById('live').textContent === 'live'");
    daemon.send({ id: "s-7", time: new Date().toISOString(), kind: "link_down", severity: "warning", text: "link down: a test", node_guid: "0x1", port: 1 });
    await browser.until("the event", "return document.getElementById('events').textContent.includes('link down: a test')");
    for (const stream of daemon.streams) stream.destroy();
    await browser.until("not connected", "return document.getElementById('live').textContent === 'not connected'");
    await browser.until("live again", "return document.getElementById('live').textContent === 'live'");
    assert.equal(daemon.resumedFrom.at(-1), "s-7");
    assert.equal(await browser.evaluate("return document.querySelectorAll('#events li').length"), 1);
  }));

test("TrafficAndErrorsOfLinksAreColours", () =>
  withPage(small(), async (daemon, url) => {
    const { topology } = daemon;
    const column = (value) => topology.links.a.map(value);
    const counters = (age, snapshot = topology.snapshot) => ({
      fabric_id: topology.fabric_id, snapshot, age_s: age,
      links: {
        gbps_ab: column(() => 20), gbps_ba: column(() => -1),
        used_ab: column((_, i) => [0.95, 0.5, -1][i] ?? 0.05), used_ba: column((_, i) => (i === 1 ? 0.75 : -1)),
        errors_per_hour: column((_, i) => [-1, 5, 2000][i] ?? 0),
      },
    });
    const mode = (name) => browser.evaluate(`document.querySelector('input[name="mode"][value="${name}"]').click()`);
    const legend = (text) => browser.until(`"${text}" in the legend`, "return document.getElementById('key').textContent.includes(arguments[0])", text);
    const links = (label) => browser.evaluate("return [...document.querySelectorAll('#legend li')].find((row) => row.textContent.startsWith(arguments[0]))?.textContent", label);
    daemon.answers.set("/v1/topology/counters", counters(null));
    await browser.open(url);
    await drawn();
    await mode("traffic");
    await legend("the performance manager is off");
    assert.equal(await links("no counters yet"), `no counters yet ${topology.links.a.length}`);
    daemon.answers.set("/v1/topology/counters", counters(12));
    await mode("errors");
    await legend("read 12 s ago");
    assert.equal(await links("not known"), "not known 1");
    assert.equal(await links("fewer than 10 an hour"), "fewer than 10 an hour 1");
    assert.equal(await links("1,000 and more"), "1,000 and more 1");
    assert.equal(await links("none"), `none ${topology.links.a.length - 3}`);
    await mode("traffic");
    assert.equal(await links("90 % and more"), "90 % and more 1");
    assert.equal(await links("70 to 90 %"), "70 to 90 % 1");
    assert.equal(await links("below 10 %"), `below 10 % ${topology.links.a.length - 3}`);
    // Those of another snapshot are of other links.
    daemon.answers.set("/v1/topology/counters", counters(12, "another"));
    await mode("errors");
    await legend("no counters yet");
  }));

test("DrawsWithoutAGpu", () =>
  withPage(small(), async (_, url) => {
    await browser.open(url);
    await drawn();
    assert.equal(await browser.evaluate("return document.getElementById('renderer').textContent"), "2D canvas");
    const colours = await browser.evaluate(`
      const canvas = document.getElementById("drawing");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size`);
    assert.ok(colours > 10, `${colours} colours: nothing is drawn`);
    // Moved, the picture of before is shown until there is one of the new place.
    await browser.evaluate("window.heddleMap.view.zoom(3); window.heddleMap.view.pan(40, 0)");
    await browser.until("a picture of the new place", `
      const { camera, renderer } = window.heddleMap.view;
      return !renderer.next && renderer.shown.view.scale === camera.scale && renderer.shown.view.x === camera.x`);
  }));

/** Two hosts at different leaves, and what /v1/routing/path answers of them: with adaptive routing over all switches between. */
function adaptivePath({ nodes, links }) {
  const from = nodes.node_type.indexOf(1);
  const to = nodes.node_type.findLastIndex((type, i) => type === 1 && nodes.leaf[i] !== nodes.leaf[from]);
  const portTo = (node, peer) => links.a.flatMap((a, i) => (a === node && links.b[i] === peer ? [links.a_port[i]] : links.b[i] === node && a === peer ? [links.b_port[i]] : []));
  const peersOf = (node) => [...new Set(links.a.flatMap((a, i) => (a === node ? [links.b[i]] : links.b[i] === node ? [a] : [])))];
  const hop = (node, distance, share, group, exits) => ({
    links: distance, node_guid: nodes.node_guid[node], description: nodes.description[node], node_type: nodes.node_type[node] === 2 ? "Switch" : "CA", share, in_ports: [], group,
    out_ports: exits.map(([port, part], i) => ({ port, share: part, static: i === 0, vl: 0, to: {}, link_width_active: "4X", link_speed_active: "NDR", neighbor_mtu: 4096 })),
  });
  const even = (node, peer, share) => portTo(node, peer).map((port, _, ports) => [port, share / ports.length]);
  // Each a step of [node, ports].
  const hops = (begin, end) => {
    const spines = peersOf(nodes.leaf[begin]).filter((peer) => nodes.node_type[peer] === 2);
    const part = 1 / spines.length;
    return [
      hop(begin, 0, 1, null, [[1, 1]]),
      hop(nodes.leaf[begin], 1, 1, 2, spines.flatMap((spine) => even(nodes.leaf[begin], spine, part))),
      ...spines.map((spine) => hop(spine, 2, part, 2, even(spine, nodes.leaf[end], part))),
      hop(nodes.leaf[end], 3, 1, null, [[portTo(nodes.leaf[end], end)[0], 1]]),
      hop(end, 4, 1, null, []),
    ];
  };
  const end = (node) => ({ node_guid: nodes.node_guid[node], description: nodes.description[node], port: 1 });
  const way = (begin, last) => ({ dlid: 9, sl: 0, arrives: true, detail: null, hops: [], adaptive_hops: hops(begin, last), adaptive_detail: null });
  return { from, to, answer: { from: end(from), to: end(to), forward: way(from, to), reverse: way(to, from) } };
}
const trace = (from, to) => browser.evaluate(`
  document.getElementById("path-from").value = arguments[0];
  document.getElementById("path-to").value = arguments[1];
  document.querySelector("#panel-path form").requestSubmit();`, from, to);
const traced = () => browser.until("a path", "return window.heddleMap.view.paths !== null");
const frame = () => browser.evaluateAsync("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))");

test("APathOfAdaptiveRoutingHasAllItsLinksByTheirShares", () => {
  const topology = small();
  const { from, to, answer } = adaptivePath(topology);
  return withPage(topology, async (daemon, url) => {
    daemon.answers.set("/v1/routing/path", answer);
    await browser.open(url);
    await drawn();
    await trace(topology.nodes.description[from], topology.nodes.description[to]);
    await traced();
    const drawnPath = await browser.evaluate(`const { view } = window.heddleMap;
      return { links: view.paths.forward.length, shares: view.paths.forward.map(({ share }) => share), text: document.getElementById("panel-path").textContent }`);
    assert.equal(drawnPath.links, answer.forward.adaptive_hops.reduce((sum, { out_ports: exits }) => sum + exits.length, 0));
    assert.ok(drawnPath.shares.some((share) => share < 1) && drawnPath.shares.some((share) => share === 1));
    assert.match(drawnPath.text, /adaptive: switches choose/);
    assert.match(drawnPath.text, /, static/);
  });
});

test("APathIsFittedIntoViewAndItsLabelsDoNotCoverOneAnother", () => {
  const topology = topologyOf(net("fat-tree", "--hosts", "324", "--radix", "36"), "tree");
  const { from, to, answer } = adaptivePath(topology);
  return withPage(topology, async (daemon, url) => {
    daemon.answers.set("/v1/routing/path", answer);
    await browser.open(url);
    await drawn();
    await browser.evaluate("const { view, state } = window.heddleMap; view.zoomTo({ kind: 'node', node: state.fabric.switches[5] })");
    await trace(topology.nodes.description[from], topology.nodes.description[to]);
    await traced();
    await frame();
    const { labels, outside, names } = await browser.evaluate(`
      const { view, state } = window.heddleMap;
      const { layout, fabric } = state.scene;
      const nodes = [view.paths.from, view.paths.to, ...[...view.paths.forward, ...view.paths.reverse].flatMap(({ link }) => [fabric.links.a[link], fabric.links.b[link]])];
      const isOutside = ([x, y]) => x < 0 || y < 0 || x > view.width || y > view.height;
      return {
        labels: view.above.pathLabels, outside: nodes.filter((node) => isOutside(view.toScreen(layout.x[node], layout.y[node]))).length,
        names: view.above.labels.map(({ text, x, y }) => ({ text, left: x - 3.05 * text.length, width: 6.1 * text.length, top: y - 6, height: 12 })),
      }`);
    if (SCREENSHOTS) writeFileSync(`${SCREENSHOTS}/adaptive-path.png`, await browser.screenshot());
    assert.equal(outside, 0, "all of the path is on the screen");
    const overlap = (a, b) => a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
    for (const [i, one] of labels.entries())
      for (const other of [...labels.slice(0, i), ...names]) assert.ok(!overlap(one, other), `${one.text} at ${one.left}, ${one.top} covers ${other.text}`);
    assert.equal(labels.length, 36, "there is room for both directions of each line");
    // The view is the person's again: a change of the fabric traces again, and moves nothing.
    await browser.evaluate("window.heddleMap.view.zoom(3)");
    const camera = () => browser.evaluate("const { x, y, scale } = window.heddleMap.view.camera; return [x, y, scale]");
    const before = await camera();
    await browser.evaluate("window.heddleMap.view.setPaths(null)");
    daemon.topology = { ...topology, snapshot: "2" };
    await browser.until("live", "return document.getElementById('live').textContent === 'live'");
    daemon.send({ id: "1", time: new Date().toISOString(), kind: "snapshot", severity: "info", text: "another" });
    await traced();
    assert.deepEqual(await camera(), before);
  });
});

test("PathsAreSearchedByGidsAndByWhatOnlyTheDaemonKnows", () => {
  const topology = small();
  const { from, to, answer } = adaptivePath(topology);
  const gid = (node) => `fe80::${topology.nodes.port_guids[node][0].slice(2).match(/.{4}/g).join(":")}`;
  return withPage(topology, async (daemon, url) => {
    const asked = [];
    daemon.answers.set("/v1/routing/path", (request) => {
      const query = new URL(request.url, "http://x").searchParams;
      asked.push([query.get("from"), query.get("to")]);
      return answer;
    });
    await browser.open(url);
    await drawn();
    const type = async (id, text) => {
      await browser.evaluate("const input = document.getElementById(arguments[0]); input.focus(); input.select()", id);
      await browser.press(text, KEYS.enter);
    };
    await browser.evaluate("document.getElementById('tab-path').click()");
    await type("path-from", gid(from));
    assert.equal(await browser.evaluate("return document.getElementById('path-from').value"), topology.nodes.description[from]);
    await type("path-to", gid(to));
    await traced();
    // A GID of another subnet has no node here: Enter asks the daemon as it is.
    await type("path-to", "fec0:0:0:2::9");
    const ports = [from, to].map((node) => topology.nodes.port_guids[node][0]);
    for (let i = 0; asked.length < 2 && i < 1000; i++) await frame();
    assert.deepEqual(asked, [ports, [ports[0], "fec0:0:0:2::9"]]);
    await type("search", gid(to));
    await browser.until("the host", "return document.getElementById('panel-selection').innerText.includes(arguments[0])", topology.nodes.description[to]);
  });
});

test("WhatIfMarksOnlyWhatDiffers", () => {
  const topology = small();
  const side = { engine: "minhop", hosts: 72, lost_pairs: 0, credit_loops: 0, vls: 1, load: { worst: 12, p99: 12, mean: 10.001, unused: 0 }, hops: { mean: 1.9, longest: 2 } };
  const plan = {
    fabric_id: topology.fabric_id, snapshot: topology.snapshot, engine: "updn", before: side,
    after: { ...side, engine: "updn", hosts: 66, load: { ...side.load, worst: 14, mean: 10.002 } },
    paths: { changed: 5 }, lids_changed: 0, writes: { all: 3, stages: [] }, forwarding_blocks: { all: 3, switches_changed: 0, switches: [] }, hosts_cut_off: { all: 6, hosts: [] }, conditions: [],
  };
  return withPage(topology, async (daemon, url) => {
    daemon.answers.set("/v1/plan", plan);
    await browser.open(url);
    await drawn();
    await browser.evaluate("document.getElementById('tab-plan').click(); document.querySelector('#panel-plan form').requestSubmit()");
    await browser.until("a plan", "return document.querySelector('#panel-plan table') !== null");
    const rows = await browser.evaluate("return [...document.querySelector('#panel-plan tbody').rows].map((row) => [row.cells[0].innerText, [...row.cells].filter((cell) => Number(getComputedStyle(cell.querySelector('strong') ?? cell).fontWeight) > 400).length])");
    assert.deepEqual(rows.filter(([, bold]) => bold > 0).map(([name]) => name), ["Routing engine", "Hosts attached", "Hosts cut off", "Load, worst"]);
    assert.ok(rows.every(([, bold]) => bold <= 1));
  });
});
