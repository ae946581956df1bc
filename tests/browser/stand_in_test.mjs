// The page with a stand-in for the daemon: what it says when answers are errors.
//
//   node --test stand_in_test.mjs     with HEDDLE_BIN (directory of heddle-topo) and HEDDLE_MAP_PAGE in the environment

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { readNet, StandIn, topologyOf } from "./stand_in.mjs";
import { Browser, KEYS } from "./webdriver.mjs";

const BIN = process.env.HEDDLE_BIN;
const PAGE = process.env.HEDDLE_MAP_PAGE;

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

test("APathOfAdaptiveRoutingHasAllItsLinksByTheirShares", () => {
  const topology = small();
  const { nodes, links } = topology;
  // Two hosts at different leaves, and all switches between: each a step of [node, ports].
  const from = nodes.node_type.indexOf(1);
  const to = nodes.node_type.findIndex((type, i) => type === 1 && nodes.leaf[i] !== nodes.leaf[from]);
  const portTo = (node, peer) => links.a.flatMap((a, i) => (a === node && links.b[i] === peer ? [links.a_port[i]] : links.b[i] === node && a === peer ? [links.b_port[i]] : []));
  const peersOf = (node) => [...new Set(links.a.flatMap((a, i) => (a === node ? [links.b[i]] : links.b[i] === node ? [a] : [])))];
  const spines = peersOf(nodes.leaf[from]).filter((peer) => nodes.node_type[peer] === 2);
  const hop = (node, distance, share, group, exits) => ({
    links: distance, node_guid: nodes.node_guid[node], description: nodes.description[node], node_type: nodes.node_type[node] === 2 ? "Switch" : "CA", share, in_ports: [], group,
    out_ports: exits.map(([port, part], i) => ({ port, share: part, static: i === 0, vl: 0, to: {}, link_width_active: "4X", link_speed_active: "NDR", neighbor_mtu: 4096 })),
  });
  const part = 1 / spines.length;
  const even = (node, peer, share) => portTo(node, peer).map((port, _, ports) => [port, share / ports.length]);
  const adaptive = [
    hop(from, 0, 1, null, [[1, 1]]),
    hop(nodes.leaf[from], 1, 1, 2, spines.flatMap((spine) => even(nodes.leaf[from], spine, part))),
    ...spines.map((spine) => hop(spine, 2, part, 2, even(spine, nodes.leaf[to], part))),
    hop(nodes.leaf[to], 3, 1, null, [[portTo(nodes.leaf[to], to)[0], 1]]),
    hop(to, 4, 1, null, []),
  ];
  const end = (node) => ({ node_guid: nodes.node_guid[node], description: nodes.description[node], port: 1 });
  const way = { dlid: 9, sl: 0, arrives: true, detail: null, hops: [], adaptive_hops: adaptive, adaptive_detail: null };
  return withPage(topology, async (daemon, url) => {
    daemon.answers.set("/v1/routing/path", { from: end(from), to: end(to), forward: way, reverse: { ...way, adaptive_hops: undefined } });
    await browser.open(url);
    await drawn();
    await browser.evaluate(`
      document.getElementById("path-from").value = arguments[0];
      document.getElementById("path-to").value = arguments[1];
      document.querySelector("#panel-path form").requestSubmit();`, nodes.description[from], nodes.description[to]);
    await browser.until("a path", "return window.heddleMap.view.paths !== null");
    const drawnPath = await browser.evaluate(`const { view } = window.heddleMap;
      return { links: view.paths.forward.length, shares: view.paths.forward.map(({ share }) => share), text: document.getElementById("panel-path").textContent }`);
    assert.equal(drawnPath.links, adaptive.reduce((sum, { out_ports: exits }) => sum + exits.length, 0));
    assert.ok(drawnPath.shares.some((share) => share < 1) && drawnPath.shares.some((share) => share === 1));
    assert.match(drawnPath.text, /adaptive: switches choose/);
    assert.match(drawnPath.text, /, static/);
  });
});
