// Routers and other subnets above the fabric: where they are drawn, what a click on one shows, and what is lost.
//
//   node --test subnets_test.mjs     with HEDDLE_BIN (directory of heddle-topo) and HEDDLE_MAP_PAGE in the environment

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { readNet, StandIn, topologyOf } from "./stand_in.mjs";
import { Browser, KEYS } from "./webdriver.mjs";

const BIN = process.env.HEDDLE_BIN;
const PAGE = process.env.HEDDLE_MAP_PAGE;
const SCREENSHOTS = process.env.HEDDLE_SCREENSHOTS; // a directory: pictures of what is tested are kept there
const ROUTERS = 12;
const PREFIXES = ["0xfec0000000000002", "0xfec0000000000003", "0xfec0000000000004"];
const guidOf = (router) => `0x${(0x0002c9030f000000n + BigInt(router)).toString(16).padStart(16, "0")}`;

let browser;
before(async () => {
  browser = await Browser.start();
});
after(() => browser?.stop());

/** A tree with routers at its leaf switches. */
function topology() {
  const net = readNet(execFileSync(join(BIN, "heddle-topo"), ["fat-tree", "--hosts", "648", "--radix", "36"], { maxBuffer: 1 << 28, encoding: "utf8" }));
  const leaves = net.nodes.flatMap((node, i) => (node.type === 2 && net.links.some(({ a, b }) => (a === i && net.nodes[b].type === 1) || (b === i && net.nodes[a].type === 1)) ? [i] : []));
  for (let router = 0; router < ROUTERS; router++) {
    net.nodes.push({ guid: guidOf(router), name: `rt-${router + 1}`, type: 3 });
    net.links.push({ a: net.nodes.length - 1, aPort: 1, b: leaves[(7 * router) % leaves.length], bPort: 40 });
  }
  return topologyOf(net, "tree");
}

/** Row `i` of /v1/subnets: without the routers in `lost`. */
function subnet(i, lost = []) {
  const all = Array.from({ length: ROUTERS }, (_, router) => router).filter((router) => router % 3 === i || router === 0);
  const named = (router) => ({ node_guid: guidOf(router), description: `rt-${router + 1}` });
  const routers = all.filter((router) => !lost.includes(router)).map((router) => ({
    ...named(router), port_guid: guidOf(router), lid: 900 + router, p_key: "0xffff", adjacent: router !== 0,
    next_hop_weight: router === 0 ? 7 : null, policy_weight: i === 1 ? router : null, used: true,
  }));
  return {
    subnet_prefix: PREFIXES[i], state: routers.length > 0 ? "reachable" : "unreachable", routers, lost: all.filter((router) => lost.includes(router)).map(named),
    ...(i === 0 ? { url: "https://sm-2.example:8443" } : {}),
  };
}

async function withPage(renderer, run) {
  const daemon = new StandIn(PAGE, topology());
  daemon.answers.set("/v1/subnets", () => ({ subnets: daemon.subnets, next_cursor: null }));
  daemon.subnets = PREFIXES.map((_, i) => subnet(i));
  const port = await daemon.listen();
  try {
    await browser.open(`http://127.0.0.1:${port}/map?renderer=${renderer}`);
    await browser.until("a drawing", "return performance.getEntriesByName('heddle-map-first-drawing').length > 0");
    await browser.until("boxes", "return window.heddleMap.state.scene.layout.subnets?.length === 3");
    await run(daemon);
  } finally {
    await browser.open("about:blank");
    await daemon.close();
  }
}

async function picture(name) {
  if (!SCREENSHOTS) return;
  const { writeFileSync } = await import("node:fs");
  await browser.evaluate("return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  writeFileSync(`${SCREENSHOTS}/${name}.png`, await browser.screenshot());
}

/** A click in the middle of a box. */
async function clickBox(prefix) {
  const [x, y] = await browser.evaluate(`
    const { view, state } = window.heddleMap;
    view.fit();
    const box = state.scene.layout.subnets.find((one) => one.subnet_prefix === arguments[0]);
    const [x, y] = view.toScreen(box.x, box.y);
    const { left, top } = view.overlay.getBoundingClientRect();
    return [Math.round(left + x), Math.round(top + y)];`, prefix);
  const actions = [{ type: "pointerMove", x, y, duration: 0 }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
  await browser.call("POST", "/actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
}
const panelHas = (text) => browser.until(`"${text}" in the panel`, "return document.getElementById('panel-selection').innerText.includes(arguments[0])", text);
const outline = async () => {
  await browser.click("tab", "Outline");
  return (await browser.accessible()).filter((node) => node.role === "treeitem").map((node) => node.name);
};

for (const renderer of ["webgl", "canvas"]) {
  test(`SubnetsAndRoutersStandAboveTheFabricWith_${renderer}`, () =>
    withPage(renderer, async () => {
      const parts = await outline();
      assert.ok(parts.includes("Routers to other subnets: 12 routers"), parts.join("\n"));
      assert.ok(parts.includes("Other subnets: 3"), parts.join("\n"));
      const { switches, routers, boxes, scale } = await browser.evaluate(`
        const { view, state: { fabric, scene: { layout } } } = window.heddleMap;
        const place = (node) => ({ x: layout.x[node], y: layout.y[node], width: layout.width[node], height: layout.height[node] });
        view.fit();
        return { switches: fabric.switches.map(place), routers: fabric.routers.map(place), boxes: layout.subnets, scale: view.camera.scale };`);
      assert.equal(routers.length, ROUTERS);
      const bottom = (one) => one.y + one.height / 2;
      const top = (one) => one.y - one.height / 2;
      assert.ok(Math.max(...routers.map(bottom)) < Math.min(...switches.map(top)));
      assert.ok(Math.max(...boxes.map(bottom)) < Math.min(...routers.map(top)));
      for (const row of [routers, boxes]) {
        const inOrder = row.toSorted((a, b) => a.x - b.x);
        for (let i = 1; i < row.length; i++) assert.ok(inOrder[i].x - inOrder[i - 1].x > inOrder[i].width, "one covers the next");
      }
      for (const box of boxes) assert.ok(box.width * scale > 18 * 6.1, "the prefix can be read when all is shown");
      assert.equal(await browser.evaluate("return document.getElementById('renderer').textContent"), renderer === "webgl" ? "WebGL" : "2D canvas");
      await picture(`subnets-${renderer}`);
    }));
}

test("AClickShowsTheRoutersOfASubnetAndLeadsToItsMap", () =>
  withPage("canvas", async () => {
    await clickBox(PREFIXES[0]);
    await panelHas(`Subnet ${PREFIXES[0]}`);
    const rows = await browser.evaluate("return [...document.querySelectorAll('#panel-selection tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))");
    assert.deepEqual(rows, [
      ["rt-1", "900", "0xffff", "by others", "7"],
      ["rt-4", "903", "0xffff", "directly", "–"],
      ["rt-7", "906", "0xffff", "directly", "–"],
      ["rt-10", "909", "0xffff", "directly", "–"],
    ]);
    assert.equal(await browser.evaluate("return document.querySelector('#panel-selection a').href"), "https://sm-2.example:8443/map");
    assert.match(await browser.evaluate("return document.getElementById('announcer').textContent"), /^Subnet 0xfec0000000000002, 4 ways$/);
    await browser.click("button", "rt-4");
    await panelHas("Router rt-4");
    await clickBox(PREFIXES[1]);
    await panelHas("not known here (subnet_peers)");
  }));

test("ALostSubnetIsShownAsUnreachableAtOnce", () =>
  withPage("canvas", async (daemon) => {
    await browser.until("live", "return document.getElementById('live').textContent === 'live'");
    await clickBox(PREFIXES[2]);
    await panelHas("reachable");
    daemon.subnets = [subnet(0), subnet(1, [1]), subnet(2, [0, 2, 5, 8, 11])];
    daemon.send({ id: "1", time: new Date().toISOString(), kind: "condition_raised", severity: "error", text: "subnet cannot be reached" });
    await panelHas("unreachable");
    await panelHas("No router leads there.");
    const lost = await browser.evaluate("return [...document.querySelectorAll('#panel-selection dd button')].map((one) => one.textContent)");
    assert.deepEqual(lost, ["rt-1", "rt-3", "rt-6", "rt-9", "rt-12"]);
    assert.ok((await outline()).includes("Other subnets: 3"));
    await picture("subnets-lost");
  }));

test("SubnetsAreReachedByKeys", () =>
  withPage("canvas", async () => {
    await browser.click("tab", "Outline");
    await browser.evaluate("document.querySelector('#panel-outline [role=\"treeitem\"]').focus()");
    await browser.press(KEYS.end, KEYS.right, KEYS.right, KEYS.enter);
    assert.deepEqual(await browser.evaluate("return window.heddleMap.state.selection"), { kind: "subnet", prefix: PREFIXES[0] });
    await browser.evaluate("document.getElementById('overlay').focus()");
    await browser.press(KEYS.enter);
    const [x, y] = await browser.evaluate("const { view, state } = window.heddleMap; const box = state.scene.layout.subnets[0]; const at = view.toScreen(box.x, box.y); return [at[0] / view.width, at[1] / view.height]");
    assert.ok(x > 0.4 && x < 0.6 && y > 0.2 && y < 0.6, `it is in view: ${x} ${y}`);
  }));
