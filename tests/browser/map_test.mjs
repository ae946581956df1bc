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

async function open(daemon) {
  await browser.open("about:blank");
  await browser.open(daemon.url());
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

const panel = (id) => browser.evaluate("return document.getElementById(arguments[0]).innerText", `panel-${id}`);
const panelHas = (id, text) => browser.until(`"${text}" in the panel ${id}`, "return document.getElementById(arguments[0]).innerText.includes(arguments[1])", `panel-${id}`, text);
const rows = (caption) => browser.evaluate(`
  const table = [...document.querySelectorAll("table")].find((one) => one.caption.textContent.startsWith(arguments[0]));
  return [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.innerText))`, caption);

describe("A fat tree of three layers", () => {
  let daemon;
  before(async () => {
    daemon = await Daemon.start(BIN, ["fat-tree", "--hosts", "16", "--radix", "4"]);
    await open(daemon);
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
    const violations = (await browser.errors()).filter((line) => /Content Security Policy|Refused to/.test(line));
    assert.deepEqual(violations, []);
  });

  test("FindsByNameGuidAndLid", async () => {
    const [name, guid, lid] = await browser.evaluate(`
      const { fabric } = window.heddleMap.state;
      const host = fabric.type.lastIndexOf(1);
      return [fabric.name[host], fabric.guid[host], String(fabric.lid[host])]`);
    for (const text of [name, guid, lid]) {
      await browser.evaluate("document.activeElement.blur()");
      await browser.press("/"); // to the search
      await type("search", text);
      const options = await browser.named("option");
      assert.ok(options[0].startsWith(`Host ${name}, LID ${lid}`), `${text} finds ${options[0]}`);
      await browser.press(KEYS.enter);
      await panelHas("selection", `Host ${name}`);
    }
    await type("search", "no such node");
    assert.deepEqual(await browser.named("option"), ["No node has this name, GUID or LID"]);
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
    assert.ok(Number(before["Load, worst"][1]) >= Number(before["Load, worst"][0]));
    assert.ok((await rows("Changed blocks")).length > 0);
    assert.match(await panel("plan"), /\d+ take another path/);
    await browser.until("the link in the legend", "return document.getElementById('legend').textContent.includes('taken away 1')");
    await picture("what-if");
    await browser.click("button", "Clear");
  });

  test("WhatIfALeafIsTakenAwayLosesItsHosts", async () => {
    await browser.evaluate("const { view, state } = window.heddleMap; view.onSelect({ kind: 'node', node: state.fabric.switches.find((node) => state.fabric.layer[node] === 1) })");
    await browser.click("tab", "Selection");
    await browser.click("button", "What if it is taken away");
    await panelHas("plan", "Before and after");
    const hosts = (await rows("Before and after")).find(([name]) => name === "Hosts attached");
    assert.deepEqual(hosts, ["Hosts attached", "16", "14"]);
    assert.match(await panel("plan"), /58 are cut off with 2 hosts/); // 16 * 15 - 14 * 13
    await browser.click("button", "Clear");
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
    // The outline: a tree, opened and walked by arrows.
    await browser.click("tab", "Outline");
    await browser.evaluate("document.querySelector('[role=treeitem]').focus()");
    await browser.press(KEYS.down, KEYS.down, KEYS.right, KEYS.down, KEYS.right, KEYS.down, KEYS.enter);
    assert.match(await browser.evaluate("return document.getElementById('announcer').textContent"), /^Host /);
  });

  test("HasALightAndADarkTheme", async () => {
    const colour = () => browser.evaluate("return getComputedStyle(document.body).backgroundColor");
    const light = await colour();
    await browser.click("button", "Dark");
    assert.notEqual(await colour(), light);
    await browser.click("button", "Dark");
    assert.equal(await colour(), light);
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
    assert.ok(await browser.evaluate("return document.getElementById('notice').hidden"));
  });
});

test("ATorusIsDrawnAsAGrid", async () => {
  const daemon = await Daemon.start(BIN, ["torus", "3,3,2"]);
  try {
    await open(daemon);
    const { drawing, outline } = await parts();
    assert.match(drawing, /^Map of the fabric: (torus|mesh) of [23] × [23] × [23] switches; 18 switches, 18 hosts, 63 links$/);
    assert.deepEqual(outline.map((name) => name.replace(/^Plane \d+: /, "")), Array(outline.length).fill(outline.length === 2 ? "9 switches" : "6 switches"));
    await picture("torus");
  } finally {
    await daemon.stop();
  }
});

test("ADragonflyIsDrawnByGroups", async () => {
  const daemon = await Daemon.start(BIN, ["dragonfly", "--switches-per-group", "4", "--global-cables", "1", "--hosts-per-switch", "1"]);
  try {
    await open(daemon);
    const { drawing, outline } = await parts();
    assert.equal(drawing, "Map of the fabric: 5 groups of switches; 20 switches, 20 hosts, 60 links");
    assert.deepEqual(outline, [1, 2, 3, 4, 5].map((group) => `Group ${group}: 4 switches`));
    await picture("dragonfly");
  } finally {
    await daemon.stop();
  }
});
