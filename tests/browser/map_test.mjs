// The map of a real manager on simulated fabrics, in a real browser. Parts of drawings are compared by the names that
// chromium gives to screen readers.
//
//   node --test map_test.mjs     with HEDDLE_BIN (directory of Heddle's programs) in the environment

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Daemon } from "./daemon.mjs";
import { Browser, KEYS } from "./webdriver.mjs";

const BIN = process.env.HEDDLE_BIN;
const SCREENSHOTS = process.env.HEDDLE_SCREENSHOTS; // a directory: pictures of what is tested are kept there

let browser;
before(async () => {
  browser = await Browser.start();
});
after(() => browser?.stop());

/** What the page's own script threw, whatever a test looks at. */
const faults = async () => (await browser.errors()).filter((line) => /Uncaught|Content Security Policy|Refused to|cannot be used/.test(line));

async function open(daemon, path = "/map") {
  await browser.open("about:blank");
  await browser.open(daemon.url(path));
  await browser.until("a drawing", "return performance.getEntriesByName('heddle-map-first-drawing').length > 0");
}
const isLive = () => browser.until("live", "return document.getElementById('live').textContent === 'live'");

async function picture(name) {
  if (!SCREENSHOTS) return;
  const { writeFileSync } = await import("node:fs");
  writeFileSync(`${SCREENSHOTS}/${name}.png`, await browser.screenshot());
}

/** The drawing's name and the names of its parts, as a screen reader has them. */
async function parts() {
  await browser.click("tab", "Outline");
  const names = await browser.accessible();
  return {
    drawing: names.find((node) => node.role === "application").name,
    outline: names.filter((node) => node.role === "treeitem").map((node) => node.name),
  };
}

async function type(id, text) {
  await browser.evaluate("const input = document.getElementById(arguments[0]); input.focus(); input.select()", id);
  await browser.press(text);
}

/** Tab, as a person without a pointer goes there: to the element of that id, or that says this. */
async function tabTo(what) {
  for (let i = 0; i < 120; i++) {
    const found = await browser.evaluate("const e = document.activeElement; return e.id === arguments[0] || e.getAttribute('aria-label') === arguments[0] || e.textContent === arguments[0]", what);
    if (found) return;
    await browser.press(KEYS.tab);
  }
  throw new Error(`Tab never reaches ${what}`);
}
const announced = () => browser.evaluate("return document.getElementById('announcer').textContent");

const panel = (id) => browser.evaluate("return document.getElementById(arguments[0]).innerText", `panel-${id}`);
const panelHas = (id, text) => browser.until(`"${text}" in the panel ${id}`, "return document.getElementById(arguments[0]).innerText.includes(arguments[1])", `panel-${id}`, text);
const rows = (caption) => browser.evaluate(`
  const table = [...document.querySelectorAll("table")].find((one) => one.caption.textContent.startsWith(arguments[0]));
  return [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.innerText))`, caption);

describe("A fat tree of three layers", () => {
  let daemon;
  before(async () => {
    // With qos the manager writes the tables of SL to VL, and knows which VL a packet is on.
    daemon = await Daemon.start(BIN, ["fat-tree", "--hosts", "16", "--radix", "4"], { qos: "TRUE" });
    await open(daemon, "/map?renderer=webgl"); // also without a GPU; the fabrics below are drawn as chromium here does best
  });
  after(() => daemon?.stop());

  test("IsDrawnByLayers", async () => {
    const { drawing, outline } = await parts();
    assert.equal(drawing, "Map of the fabric: tree of 3 layers of switches; 20 switches, 16 hosts, 48 links");
    assert.deepEqual(outline, ["Layer 3, top: 4 switches", "Layer 2: 8 switches", "Layer 1, with hosts: 8 switches"]);
    const heights = await browser.evaluate(`
      const { fabric, scene } = window.heddleMap.state;
      return [1, 2, 3].map((layer) => fabric.switches.filter((node) => fabric.layer[node] === layer).map((node) => scene.layout.y[node]))`);
    assert.ok(Math.min(...heights[0]) > Math.max(...heights[1]), "leaves are below layer 2");
    assert.ok(Math.min(...heights[1]) > Math.max(...heights[2]), "layer 2 is below the top");
    assert.equal(await browser.evaluate("return document.getElementById('renderer').textContent"), "WebGL");
    await picture("tree");
  });

  test("FoldsHostsUnderTheirLeaf", async () => {
    const isBelow = await browser.evaluate(`
      const { fabric, scene } = window.heddleMap.state;
      const hosts = fabric.type.flatMap((type, node) => (type === 1 ? [node] : []));
      return hosts.every((host) => Math.abs(scene.layout.x[host] - scene.layout.x[fabric.leaf[host]]) < 20 && scene.layout.y[host] > scene.layout.y[fabric.leaf[host]])`);
    assert.ok(isBelow);
  });

  test("ShowsNothingButWhatItsOwnServerSent", async () => {
    const names = await browser.evaluate("return performance.getEntriesByType('resource').map((entry) => new URL(entry.name).origin)");
    assert.deepEqual([...new Set(names)], [`http://127.0.0.1:${daemon.port}`]);
    assert.deepEqual(await faults(), []);
  });

  test("FindsByNameGuidGidAndLid", async () => {
    const [name, guid, portGuid, lid] = await browser.evaluate(`
      const { fabric } = window.heddleMap.state;
      const host = fabric.type.lastIndexOf(1);
      return [fabric.name[host], fabric.guid[host], fabric.portGuids[host][0], String(fabric.lid[host])]`);
    const gid = `fe80:0:0:0:${portGuid.slice(2).match(/.{4}/g).join(":")}`;
    for (const text of [name, guid, portGuid, gid, lid]) {
      await browser.evaluate("document.activeElement.blur()");
      await browser.press("/"); // to the search
      await type("search", text);
      await browser.untilNamed("option", (first) => first.startsWith(`Host ${name}, LID ${lid}`));
      await browser.press(KEYS.enter);
      await panelHas("selection", `Host ${name}`);
    }
    await type("search", "no such node");
    assert.equal((await browser.untilNamed("option", (first) => first.startsWith("No node"))).length, 1);
    await browser.press(KEYS.escape);
  });

  test("ZoomsToAPort", async () => {
    const leaf = await browser.evaluate("const { fabric } = window.heddleMap.state; return fabric.name[fabric.switches.find((node) => fabric.layer[node] === 1)]");
    await type("search", `${leaf} port 2`);
    await browser.press(KEYS.enter);
    await panelHas("selection", `Switch ${leaf}`);
    assert.equal(await browser.evaluate("return document.querySelector('#panel-selection [aria-current]').textContent"), "2");
    assert.ok(await browser.evaluate("return window.heddleMap.view.camera.scale * 36 >= 300"), "ports are drawn from this scale on");
    await picture("port");
  });

  test("TracesAPathBothWaysWithItsVls", async () => {
    await browser.click("tab", "Path");
    const [from, to] = await browser.evaluate("const { fabric } = window.heddleMap.state; return [fabric.type.indexOf(1), fabric.type.lastIndexOf(1)].map((node) => fabric.name[node])");
    await type("path-from", from);
    await browser.press(KEYS.enter);
    await type("path-to", to);
    await browser.press(KEYS.enter);
    await panelHas("path", `${to} to ${from}`);
    const there = await rows("Hops, there");
    const back = await rows("Hops, back");
    assert.deepEqual([there[0][0], there.at(-1)[0], back[0][0], back.at(-1)[0]], [from, to, to, from]);
    assert.equal(there.length, 7); // host, 5 switches, host
    assert.deepEqual(there.slice(0, -1).map((row) => row[3]), Array(6).fill("0")); // VLs
    const drawn = await browser.evaluate("const { paths } = window.heddleMap.view; return [paths.forward.length, paths.reverse.length]");
    assert.deepEqual(drawn, [6, 6]);
    await picture("path");
    await browser.click("button", "Clear");
  });

  test("WhatIfALinkIsTakenAway", async () => {
    await browser.evaluate(`
      const { view, state } = window.heddleMap;
      const link = state.scene.drawnLinks[0];
      view.onSelect({ kind: "link", link });`);
    await browser.click("tab", "Selection");
    await browser.click("button", "What if it is taken away");
    await panelHas("plan", "Changed blocks by switch");
    const before = Object.fromEntries((await rows("Before and after")).map(([name, ...values]) => [name, values]));
    assert.deepEqual(before["Lost pairs"], ["0", "0"]);
    const bold = await browser.evaluate("return [...document.querySelectorAll('#panel-plan strong')].map((one) => one.closest('tr').cells[0].innerText)");
    assert.deepEqual(bold, Object.entries(before).filter(([, [one, other]]) => one !== other).map(([row]) => row));
    assert.match(await browser.evaluate("return document.getElementById('legend').textContent"), /^unused 0/, "each link between switches is used, and those of hosts are not counted");
    assert.ok(Number(before["Load, worst"][1]) >= Number(before["Load, worst"][0]));
    assert.ok((await rows("Changed blocks")).length > 0);
    assert.match(await panel("plan"), /[1-9]\d* pairs of hosts take another path\. [1-9]\d* writes/);
    await browser.until("the link in the legend", "return document.getElementById('legend').textContent.includes('taken away 1')");
    await picture("what-if");
    await browser.click("button", "Clear");
  });

  test("WhatIfALeafIsTakenAwayLosesItsHosts", async () => {
    await browser.evaluate("const { view, state } = window.heddleMap; view.onSelect({ kind: 'node', node: state.fabric.switches.find((node) => state.fabric.layer[node] === 1) })");
    await browser.click("tab", "Selection");
    await browser.click("button", "What if it is taken away");
    await panelHas("plan", "would be cut off");
    const hosts = (await rows("Before and after")).find(([name]) => name === "Hosts attached");
    assert.deepEqual(hosts, ["Hosts attached", "16", "14"]);
    assert.match(await panel("plan"), /2 hosts would be cut off/);
    await browser.click("button", "Clear");
  });

  test("NeedsTheRoleReadAndNoMore", async () => {
    // The user of these tests has the role read: with it the page did all of the above. The same user's commands are refused.
    const answers = await browser.evaluateAsync(`
      const done = arguments[0];
      const status = (path, options) => fetch(new URL(path, location.origin), options).then((answer) => answer.status);
      Promise.all([
        status("/v1/topology"), status("/v1/rebalance", { method: "POST" }), status("/v1/resweep", { method: "POST" }),
        status("/v1/topology", { credentials: "omit" }), status("/map", { credentials: "omit" }),
      ]).then(done)`);
    assert.deepEqual(answers, [200, 403, 403, 401, 401]);
    const buttons = (await browser.named("button")).filter((name) => /rebalance|resweep|reset|delete|set |write/i.test(name));
    assert.deepEqual(buttons, []);
  });

  test("IsOperatedByKeysAlone", async () => {
    await browser.evaluate("document.activeElement.blur(); window.heddleMap.view.onSelect(null); window.heddleMap.view.fit()");
    const reached = new Set();
    for (let i = 0; i < 40; i++) {
      await browser.press(KEYS.tab);
      reached.add(await browser.evaluate("const e = document.activeElement; return e.id || e.name || e.textContent"));
    }
    for (const id of ["search", "theme", "overlay", "zoom-in", "zoom-out", "fit", "mode", "events"]) assert.ok(reached.has(id), `Tab never reaches ${id}`);
    const outline = await browser.evaluate("document.getElementById('overlay').focus(); return getComputedStyle(document.getElementById('overlay')).outlineStyle");
    assert.notEqual(outline, "none");
    await browser.press(KEYS.right); // the first switch
    const first = await browser.evaluate("return document.getElementById('announcer').textContent");
    assert.match(first, /^Switch /);
    await browser.press(KEYS.right);
    assert.notEqual(await browser.evaluate("return document.getElementById('announcer').textContent"), first);
    const scale = await browser.evaluate("return window.heddleMap.view.camera.scale");
    await browser.press(KEYS.enter);
    assert.ok((await browser.evaluate("return window.heddleMap.view.camera.scale")) >= scale);
    await browser.press("0", KEYS.escape);
  });

  test("FindsTracesAndPlansByKeysAlone", async () => {
    const [from, to] = await browser.evaluate("const { fabric } = window.heddleMap.state; return [fabric.type.indexOf(1), fabric.type.lastIndexOf(1)].map((node) => fabric.name[node])");
    await browser.evaluate("document.activeElement.blur()");
    await browser.press("/", from, KEYS.enter);
    await panelHas("selection", `Host ${from}`);
    // A path from there.
    await tabTo("Path from here");
    await browser.press(KEYS.enter);
    await tabTo("path-to");
    await browser.press(to, KEYS.enter);
    await panelHas("path", `${to} to ${from}`);
    // What if its leaf is not there.
    await browser.evaluate("document.activeElement.blur()");
    await browser.press("/");
    await browser.evaluate("document.activeElement.select()");
    await browser.press(from, KEYS.enter);
    await panelHas("selection", `Host ${from}`);
    const leaf = await browser.evaluate("const { fabric, selection } = window.heddleMap.state; return fabric.name[fabric.leaf[selection.node]]");
    await tabTo(leaf);
    await browser.press(KEYS.enter);
    await panelHas("selection", `Switch ${leaf}`);
    await tabTo("What if it is taken away");
    await browser.press(KEYS.enter);
    await panelHas("plan", "would be cut off");
    // The outline: a tree, opened and walked by arrows.
    await tabTo("tab-plan");
    await browser.press(KEYS.right, KEYS.right);
    assert.equal(await browser.evaluate("return document.activeElement.id"), "tab-outline");
    await browser.press(KEYS.tab);
    await browser.press(KEYS.down, KEYS.down, KEYS.right, KEYS.down, KEYS.right, KEYS.down, KEYS.enter);
    assert.match(await announced(), /^Host /);
    await browser.click("tab", "What if");
    await browser.click("button", "Clear");
  });

  test("HasALightAndADarkTheme", async () => {
    const colour = () => browser.evaluate("return getComputedStyle(document.body).backgroundColor");
    const light = await colour();
    await browser.click("button", "Dark");
    assert.notEqual(await colour(), light);
    await browser.click("button", "Dark");
    assert.equal(await colour(), light);
    // Without a choice of the person, what the system prefers.
    await browser.devtools("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
    await browser.evaluate("delete document.documentElement.dataset.theme");
    await browser.until("dark", "return getComputedStyle(document.body).backgroundColor !== arguments[0]", light);
    await browser.devtools("Emulation.setEmulatedMedia", { features: [] });
    await browser.until("light", "return getComputedStyle(document.body).backgroundColor === arguments[0]", light);
  });

  test("ShowsALostLinkWithoutBeingLoadedAgain", async () => {
    await isLive();
    await browser.evaluate("window.isStillThisPage = true");
    const [name, port] = await browser.evaluate(`
      const { fabric, scene } = window.heddleMap.state;
      const link = scene.drawnLinks[0];
      return [fabric.name[fabric.links.a[link]], fabric.links.a_port[link]]`);
    await daemon.command(`Unlink "${name}"[${port}]`);
    await browser.until("47 links", "return document.getElementById('fabric').textContent.includes('47 links')");
    await browser.until("the event", "return /link.down/.test(document.getElementById('events').textContent)");
    await daemon.command(`Relink "${name}"[${port}]`);
    await browser.until("48 links", "return document.getElementById('fabric').textContent.includes('48 links')");
    assert.ok(await browser.evaluate("return window.isStillThisPage"));
  });

  test("ConnectsAgainAfterARestartOfTheDaemon", async () => {
    await isLive();
    await browser.evaluate("window.isStillThisPage = true");
    const before = await browser.evaluate("return window.heddleMap.state.fabric.snapshot");
    await daemon.end("SIGKILL");
    await browser.until("not connected", "return document.getElementById('live').textContent === 'not connected'");
    await browser.until("the reason", "return document.getElementById('notice').textContent.includes('The map shows the last state')");
    await daemon.run();
    await isLive();
    await browser.until("the snapshot of the new daemon", "return window.heddleMap.state.fabric.snapshot !== arguments[0]", before);
    assert.ok(await browser.evaluate("return window.isStillThisPage"));
    await browser.until("no notice", "return document.getElementById('notice').hidden");
    assert.deepEqual(await faults(), []);
  });
});

/** Another fabric, drawn; each kind of drawing has a fabric that is drawn so. */
async function withFabric(kind, options, run) {
  const daemon = await Daemon.start(BIN, kind, options);
  try {
    await open(daemon);
    await run(daemon);
    assert.deepEqual(await faults(), []);
  } finally {
    await browser.open("about:blank");
    await daemon.stop();
  }
}

test("ATorusIsDrawnAsAGrid", () =>
  withFabric(["torus", "3,3,2"], { routing_engine: "dfsssp" }, async () => {
    const { drawing, outline } = await parts();
    assert.equal(drawing, "Map of the fabric: torus of 3 × 3 × 2 switches; 18 switches, 18 hosts, 63 links");
    assert.deepEqual(outline, ["Plane 0: 9 switches", "Plane 1: 9 switches"]);
    const columns = await browser.evaluate(`
      const { fabric, scene } = window.heddleMap.state;
      const count = (places) => new Set(Array.from(places, (place) => Math.round(place))).size;
      return [count(fabric.switches.map((node) => scene.layout.x[node])), count(fabric.switches.map((node) => scene.layout.y[node]))].sort()`);
    assert.deepEqual(columns, [3, 6]);
    // Virtual lanes that free the rings of credit loops: those of the answer are on the map.
    const [from, to] = await browser.evaluate("const { fabric } = window.heddleMap.state; return [fabric.guid[fabric.type.indexOf(1)], fabric.guid[fabric.type.lastIndexOf(1)]]");
    const path = await browser.evaluateAsync(`
      const [from, to, done] = arguments;
      fetch(new URL("/v1/routing/path?from=" + from + "&to=" + to, location.origin)).then((answer) => answer.json()).then(done)`, from, to);
    await browser.click("tab", "Path");
    await type("path-from", from);
    await browser.press(KEYS.enter);
    await type("path-to", to);
    await browser.press(KEYS.enter);
    await panelHas("path", "Hops, back");
    for (const [caption, way] of [["Hops, there", path.forward], ["Hops, back", path.reverse]]) {
      const vls = way.hops.slice(0, -1).map((hop) => hop.vl);
      assert.ok(vls.length >= 2 && vls.every(Number.isInteger), `VLs ${vls}`);
      assert.deepEqual((await rows(caption)).slice(0, -1).map((row) => Number(row[3])), vls);
    }
    await picture("torus");
  }));

test("ADragonflyIsDrawnByGroups", () =>
  withFabric(["dragonfly", "--switches-per-group", "4", "--global-cables", "1", "--hosts-per-switch", "1"], {}, async () => {
    const { drawing, outline } = await parts();
    assert.equal(drawing, "Map of the fabric: 5 groups of switches; 20 switches, 20 hosts, 60 links");
    assert.deepEqual(outline, [1, 2, 3, 4, 5].map((group) => `Group ${group}: 4 switches`));
    await picture("dragonfly");
  }));

test("WhatIsNothingElseIsDrawnByForce", () =>
  withFabric(["random", "--switches", "8", "--hosts", "8"], {}, async () => {
    const { drawing, outline } = await parts();
    assert.match(drawing, /^Map of the fabric: .*8 switches, 8 hosts, \d+ links$/);
    assert.ok(outline.length > 0);
    await picture("random");
  }));
