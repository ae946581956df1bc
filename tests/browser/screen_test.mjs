// The page on screens of a desk and of a telephone, with a stand-in for the daemon: what is drawn where.
//
//   node --test screen_test.mjs     with HEDDLE_BIN (directory of heddle-topo) and HEDDLE_MAP_PAGE in the environment

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { readNet, StandIn, topologyOf, without } from "./stand_in.mjs";
import { Browser, KEYS } from "./webdriver.mjs";

const BIN = process.env.HEDDLE_BIN;
const PAGE = process.env.HEDDLE_MAP_PAGE;
const SCREENSHOTS = process.env.HEDDLE_SCREENSHOTS; // a directory: pictures of what is tested are kept there
const net = (...kind) => readNet(execFileSync(join(BIN, "heddle-topo"), kind, { maxBuffer: 1 << 28, encoding: "utf8" }));
const TREE = ["fat-tree", "--hosts", "72", "--radix", "12"];

let browser;
before(async () => {
  browser = await Browser.start();
});
after(() => browser?.stop());

async function withPage(topology, run, { path = "/map", size = [1500, 950], prepare = () => {} } = {}) {
  const daemon = new StandIn(PAGE, topology);
  prepare(daemon);
  const port = await daemon.listen();
  try {
    await browser.devtools("Emulation.setDeviceMetricsOverride", { width: size[0], height: size[1], deviceScaleFactor: 1, mobile: size[0] < 600 });
    await browser.open(`http://127.0.0.1:${port}${path}`);
    await browser.until("a drawing", "return performance.getEntriesByName('heddle-map-first-drawing').length > 0");
    await run(daemon);
    assert.deepEqual((await browser.errors()).filter((line) => /Uncaught|Content Security Policy|Refused to/.test(line)), []);
  } finally {
    await browser.open("about:blank");
    await browser.devtools("Emulation.clearDeviceMetricsOverride");
    await daemon.close();
  }
}
async function picture(name) {
  if (SCREENSHOTS) writeFileSync(`${SCREENSHOTS}/${name}.png`, await browser.screenshot());
}
/** Texts above the drawing, as the latest frame has them. */
const labels = () => browser.evaluate("return window.heddleMap.view.above.labels.map(({ text }) => text)");
const box = (selector) => browser.evaluate("const { left, top, right, bottom, width, height } = document.querySelector(arguments[0]).getBoundingClientRect(); return { left, top, right, bottom, width, height }", selector);
const frame = () => browser.evaluateAsync("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))");

test("OnATelephoneTheDrawingFillsTheScreenAndPanelsAreSheets", () =>
  withPage(topologyOf(net(...TREE), "tree"), async () => {
    const map = await box("#map");
    assert.equal(map.width, 360);
    assert.ok(map.height > 740 * 0.7, `the drawing is ${map.height} px high`);
    assert.equal(await browser.evaluate("return document.documentElement.scrollWidth"), 360, "nothing is wider than the screen");
    const [fabric] = await browser.evaluate("const { bounds } = window.heddleMap.state.scene.layout; return [(bounds.bottom - bounds.top) / (bounds.right - bounds.left)]");
    assert.ok(fabric > 1, "the tree is laid out for a screen that is higher than wide");
    for (const panel of ["#panel-selection", "#timeline"]) assert.equal((await box(panel)).height, 0, `${panel} is closed`);
    await picture("phone");
    await browser.click("tab", "Conditions");
    const sheet = await box("#panel-conditions");
    assert.deepEqual([sheet.left, sheet.right], [0, 360]);
    assert.equal((await box("#map")).height, map.height, "the sheet is above the drawing");
    await picture("phone-sheet");
    await browser.click("button", "Events");
    assert.ok((await box("#timeline")).height > 200);
    assert.equal((await box("#panel-conditions")).height, 0, "one sheet at a time");
    await browser.click("button", "Close the panel");
    assert.equal((await box("#timeline")).height, 0);
    // What is selected is to be seen above the sheet.
    await browser.evaluate("document.getElementById('tab-selection').click(); const { view, state } = window.heddleMap; view.zoomTo({ kind: 'node', node: state.fabric.switches[0] })");
    const [y, top] = await browser.evaluate("const { view, state } = window.heddleMap; return [view.toScreen(0, state.scene.layout.y[state.fabric.switches[0]])[1] + document.getElementById('map').getBoundingClientRect().top, document.getElementById('panel-selection').getBoundingClientRect().top]");
    assert.ok(y < top, `the node is at ${y}, the sheet begins at ${top}`);
    // Also if the search opens the sheet.
    await browser.evaluate("document.getElementById('sheet-close').click(); document.getElementById('search').focus()");
    await browser.press("S1-2", KEYS.enter);
    const found = await browser.evaluate("const { view, state } = window.heddleMap; return view.toScreen(0, state.scene.layout.y[state.selection.node])[1] + document.getElementById('map').getBoundingClientRect().top");
    assert.ok(found > (await box("#map")).top && found < top, `what was found is at ${found}, the sheet begins at ${top}`);
  }, { size: [360, 740] }));

test("TwoFingersZoomAboutTheirMiddle", () =>
  withPage(topologyOf(net(...TREE), "tree"), async () => {
    const touch = (type, ...points) => browser.devtools("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const camera = () => browser.evaluate("const { view } = window.heddleMap; return [view.camera.scale, ...view.toWorld(180, 300 - document.getElementById('map').getBoundingClientRect().top)]");
    const [scale, x, y] = await camera();
    await touch("touchStart", [150, 300], [210, 300]);
    await touch("touchMove", [130, 300], [230, 300]);
    await touch("touchMove", [120, 300], [240, 300]);
    await touch("touchEnd");
    const after = await camera();
    assert.ok(Math.abs(after[0] / scale - 2) < 0.05, `from ${scale} to ${after[0]}`);
    assert.ok(Math.abs(after[1] - x) < 2 && Math.abs(after[2] - y) < 2, "what is between the fingers stays there");
    assert.equal(await browser.evaluate("return window.heddleMap.state.selection"), null);
  }, { size: [360, 740] }));

test("ParallelLinksAreOneLineWithACountUntilZoomed", () =>
  withPage(topologyOf(net(...TREE, "--parallel", "3"), "tree"), async () => {
    const drawn = () => browser.evaluate("const { scene } = window.heddleMap.state; const { ordinary, strong } = scene.lines(window.heddleMap.view.colouring, window.heddleMap.view.palette); return [scene.isBundled, ordinary.count + strong.count]");
    assert.deepEqual(await drawn(), [true, 72]);
    assert.equal((await labels()).filter((text) => text === "×3").length, 72);
    const widths = await browser.evaluate("const { scene } = window.heddleMap.state; return [...new Set(scene.lines(window.heddleMap.view.colouring, window.heddleMap.view.palette).ordinary.styles.filter((_, i) => i % 2 === 0))]");
    assert.ok(widths.every((width) => width > 2), `widths ${widths}`);
    await picture("bundles");
    // A line that stands for three is a link, whose panel names the other two.
    await browser.evaluate("const { view, state } = window.heddleMap; const { pieces } = state.scene.bundles[0]; view.onSelect(view.linkNear((pieces[0] + pieces[2]) / 2, (pieces[1] + pieces[3]) / 2))");
    await browser.until("parallel links", "return document.getElementById('panel-selection').innerText.includes('2 parallel, at port')");
    await browser.evaluate("const { view, state } = window.heddleMap; view.zoomTo({ kind: 'node', node: state.fabric.switches[0] }); view.zoom(2)");
    await frame();
    assert.deepEqual(await drawn(), [false, 216]);
    assert.equal((await labels()).filter((text) => text === "×3").length, 0);
  }));

test("LinkEndsHaveTheirPortNumbersFromClose", () =>
  withPage(topologyOf(net("torus", "4,4"), "torus"), async () => {
    const numbers = async () => (await labels()).filter((text) => /^\d+$/.test(text)).length;
    await browser.evaluate("window.heddleMap.view.zoom(0.4)");
    await frame();
    assert.equal(await numbers(), 0);
    await browser.evaluate("const { view, state } = window.heddleMap; view.zoomTo({ kind: 'node', node: state.fabric.switches[5] })");
    await frame();
    const shown = await browser.evaluate(`
      const { view, state } = window.heddleMap;
      const { fabric, scene } = state;
      const node = fabric.switches[5];
      const [x, y] = view.toScreen(scene.layout.x[node], scene.layout.y[node]);
      const half = [18 * view.camera.scale + 20, 6 * view.camera.scale + 20];
      const near = view.above.labels.filter((one) => /^\\d+$/.test(one.text) && Math.abs(one.x - x) < half[0] && Math.abs(one.y - y) < half[1]);
      return [near.map((one) => Number(one.text)).sort(), fabric.linksOf(node).filter((link) => fabric.isBetweenSwitches(link)).map((link) => fabric.portAt(link, node)).sort()]`);
    assert.deepEqual(shown[0], shown[1]);
    await picture("port-numbers");
  }));

test("NamesAreAboveTheLines", () =>
  withPage(topologyOf(net(...TREE), "tree"), async () => {
    // Each name is written after the last line of its frame.
    const order = await browser.evaluateAsync(`
      const { view } = window.heddleMap;
      const done = arguments[0];
      const calls = [];
      for (const name of ["stroke", "strokeRect", "fillText"]) {
        const before = view.above.context[name].bind(view.above.context);
        view.above.context[name] = (...args) => { calls.push(name); return before(...args); };
      }
      view.setLost([{ kind: "link", node_guid: view.scene.fabric.guid[0], peer_guid: view.scene.fabric.guid[3], name: "x", port: 1 }]);
      requestAnimationFrame(() => requestAnimationFrame(() => done(calls)))`);
    assert.ok(order.includes("stroke") && order.includes("fillText"));
    assert.ok(order.indexOf("fillText") > Math.max(order.lastIndexOf("stroke"), order.lastIndexOf("strokeRect")), order.join());
  }));

/** A leaf with its hosts, and what /v1/lost says of them. */
function lossOfALeaf() {
  const whole = net(...TREE);
  const leaf = whole.nodes.findIndex((node) => node.name === "S1-3");
  const spine = whole.nodes.findIndex((node) => node.name === "S2-0");
  const hosts = whole.links.flatMap(({ a, b }) => (a === leaf ? [b] : b === leaf ? [a] : [])).filter((node) => whole.nodes[node].type === 1);
  const row = (node, peer, more) => ({ kind: "node", node_guid: whole.nodes[node].guid, name: whole.nodes[node].name, peer_guid: whole.nodes[peer].guid, peer: whole.nodes[peer].name, peer_port: 4, for_s: 5, ...more });
  const lost = [row(leaf, spine, { is_switch: true }), ...hosts.map((host) => row(host, leaf, { is_switch: false, caused_by: whole.nodes[leaf].guid }))];
  return { whole, rest: without(whole, [leaf, ...hosts]), lost, guid: whole.nodes[leaf].guid };
}
const places = (names) => browser.evaluate("const { fabric, scene } = window.heddleMap.state; return arguments[0].map((name) => { const node = fabric.name.indexOf(name); return [scene.layout.x[node], scene.layout.y[node]] })", names);
const ghost = (guid) => browser.evaluate("const { layout } = window.heddleMap.state.scene; const node = layout.lost?.get(arguments[0]); return node === undefined ? null : [layout.x[node], layout.y[node]]", guid);

test("ALostSwitchIsDrawnWhereItWas", async () => {
  const { whole, rest, lost, guid } = lossOfALeaf();
  const neighbours = ["S1-2", "S1-4", "S1-11", "S2-0"];
  await withPage(topologyOf(whole, "tree"), async (daemon) => {
    const before = await places([...neighbours, "S1-3"]);
    daemon.topology = topologyOf(rest, "tree", "2");
    daemon.answers.set("/v1/lost", { lost, next_cursor: null });
    await browser.until("a stream", "return document.getElementById('live').textContent === 'live'");
    daemon.send({ id: "1", kind: "snapshot", time: new Date().toISOString(), text: "another", severity: "info" });
    await browser.until("17 switches", "return document.getElementById('fabric').textContent.includes('17 switches')");
    assert.deepEqual([...(await places(neighbours)), await ghost(guid)], before, "nothing has moved");
    await browser.until("its name", "return window.heddleMap.view.above.labels.some(({ text }) => text === 'S1-3')");
    const outline = await browser.evaluate("return window.heddleMap.state.scene.layout.parts.map(({ name }) => name)");
    assert.deepEqual(outline, ["Layer 2, top: 6 switches", "Layer 1, with hosts: 11 switches"]);
    await picture("lost-switch");
    // Forgotten: its place is given up.
    daemon.answers.set("/v1/lost", { lost: [], next_cursor: null });
    daemon.send({ id: "2", kind: "condition_cleared", time: new Date().toISOString(), text: "forgotten", severity: "info" });
    await browser.until("no place", "return !window.heddleMap.state.scene.layout.lost");
  });
});

test("ALostSwitchIsInItsRowAlsoOnAPageThatIsOpenedLater", async () => {
  const { rest, lost, guid } = lossOfALeaf();
  await withPage(topologyOf(rest, "tree"), async () => {
    await browser.until("its place", "return window.heddleMap.state.scene.layout.lost?.has(arguments[0])", guid);
    const [[left, y], [right]] = await places(["S1-2", "S1-4"]);
    const at = await ghost(guid);
    assert.equal(at[1], y);
    assert.ok(at[0] > left && at[0] < right, "between its neighbours by name");
  }, { prepare: (daemon) => daemon.answers.set("/v1/lost", { lost, next_cursor: null }) });
});

const panel = (id) => browser.evaluate("return document.getElementById(arguments[0]).innerText", `panel-${id}`);

test("SearchingALostSwitchSelectsThePlaceWhereItWas", async () => {
  const { rest, lost, guid } = lossOfALeaf();
  const condition = { id: "SM-NODE-LOST", severity: "critical", text: "S1-3 is lost, 6 hosts", remedy: "Check its power.", for_s: 3 * 86400, times: 1, guid };
  const prepare = (daemon) => {
    daemon.answers.set("/v1/lost", { lost, next_cursor: null });
    daemon.answers.set("/v1/conditions", { conditions: [condition], next_cursor: null });
  };
  await withPage(topologyOf(rest, "tree"), async () => {
    await browser.until("its place", "return window.heddleMap.state.scene.layout.lost?.has(arguments[0])", guid);
    await browser.evaluate("document.getElementById('search').focus()");
    await browser.press("S1-3", KEYS.enter);
    assert.deepEqual(await browser.evaluate("return window.heddleMap.state.selection"), { kind: "lost", guid });
    assert.match(await panel("selection"), /^Lost switch S1-3\n[^]*lost since [^]*S2-0 port 4[^]*6 nodes: [^]*S1-3 is lost, 6 hosts\nWhat to do: Check its power\./);
    const [x, y, width, height] = await browser.evaluate("const { view, state } = window.heddleMap; const { layout } = state.scene; const node = layout.lost.get(arguments[0]); return [...view.toScreen(layout.x[node], layout.y[node]), view.width, view.height]", guid);
    assert.ok(Math.abs(x - width / 2) < 2 && Math.abs(y - height / 2) < 2, "its place is in the middle of the drawing");
    await frame();
    assert.ok((await labels()).includes("S1-3"), "its name is in its place");
    await picture("lost-selected");
    assert.match(await browser.evaluate("return document.getElementById('legend').innerText"), /lost\s+1 switch, 6 hosts/);
    // By a click on its place, and by a condition.
    for (const select of ["view.onSelect(null); view.onSelect(view.at(arguments[0], arguments[1]))", "view.onSelect(null); document.querySelector('#panel-conditions button').click()"]) {
      await browser.evaluate(`const { view } = window.heddleMap; ${select}`, x, y);
      assert.deepEqual(await browser.evaluate("return window.heddleMap.state.selection"), { kind: "lost", guid });
    }
    const since = new Date(Date.now() - 3 * 86400e3);
    await browser.evaluate("document.getElementById('tab-conditions').click()");
    const day = since.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
    const text = await panel("conditions");
    assert.ok(text.includes(`critical since ${day}, `) && text.includes("What to do: Check its power."), text);
    assert.ok(text.includes("Show S1-3"), text);
  }, { prepare });
});

test("ASelectedSwitchThatIsLostStaysSelectedUntilItIsForgotten", async () => {
  const { whole, rest, lost, guid } = lossOfALeaf();
  await withPage(topologyOf(whole, "tree"), async (daemon) => {
    const selected = (what, value) => browser.until(what, "return JSON.stringify(window.heddleMap.state.selection) === arguments[0]", JSON.stringify(value));
    const changed = (id, kind) => daemon.send({ id, kind, time: new Date().toISOString(), text: "a change", severity: "info" });
    await browser.until("a stream", "return document.getElementById('live').textContent === 'live'");
    await browser.evaluate("const { view, state } = window.heddleMap; view.onSelect({ kind: 'node', node: state.fabric.name.indexOf('S1-3') })");
    daemon.topology = topologyOf(rest, "tree", "2");
    daemon.answers.set("/v1/lost", { lost, next_cursor: null });
    changed("1", "snapshot");
    await selected("the lost switch", { kind: "lost", guid });
    daemon.topology = topologyOf(whole, "tree", "3");
    daemon.answers.set("/v1/lost", { lost: [], next_cursor: null });
    changed("2", "snapshot");
    await selected("the switch", { kind: "node", node: whole.nodes.findIndex(({ name }) => name === "S1-3") });
    daemon.topology = topologyOf(rest, "tree", "4");
    daemon.answers.set("/v1/lost", { lost, next_cursor: null });
    changed("3", "snapshot");
    await selected("the lost switch again", { kind: "lost", guid });
    daemon.answers.set("/v1/lost", { lost: [], next_cursor: null });
    changed("4", "condition_cleared");
    await selected("nothing", null);
  });
});

test("TheAddressOfThePageMayNameALostNode", async () => {
  const { rest, lost } = lossOfALeaf();
  await withPage(topologyOf(rest, "tree"), async () => {
    await browser.until("the lost switch", "return document.getElementById('panel-selection').innerText.includes('Lost switch S1-3')");
  }, { path: "/map?node=S1-3", prepare: (daemon) => daemon.answers.set("/v1/lost", { lost, next_cursor: null }) });
});

test("EventsOfBeforeAreListedWhenThePageOpens", async () => {
  const event = { id: "5f-1", kind: "sweep", time: new Date().toISOString(), severity: "info", text: "sweep: start: SUBNET UP" };
  const answer = (request) => ({ events: request.url.includes("since=") ? [event] : [], last_id: "5f-1", gap: false });
  // The stream answers with nothing: no head, no comment.
  await withPage(topologyOf(net(...TREE), "tree"), async () => {
    await browser.until("the event", "return document.getElementById('events').textContent.includes('SUBNET UP')");
  }, { prepare: (daemon) => daemon.silent.set("/v1/events", answer) });
});

test("TheAddressOfThePageMayNameANode", () =>
  withPage(topologyOf(net(...TREE), "tree"), async () => {
    await browser.until("the node", "return document.getElementById('panel-selection').innerText.includes('Switch S1-7')");
  }, { path: "/map?node=S1-7" }));

test("ThePageHasAnIcon", () =>
  withPage(topologyOf(net(...TREE), "tree"), async () => {
    const [href, type] = await browser.evaluateAsync("const done = arguments[0]; const { href } = document.querySelector('link[rel=icon]'); fetch(href).then((answer) => done([href, answer.headers.get('content-type')]))");
    assert.match(href, /\/map\/icon\.svg$/);
    assert.equal(type, "image/svg+xml");
  }));
