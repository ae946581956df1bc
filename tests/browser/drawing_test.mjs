// What the map draws where, and in which class, without a browser: node --test tests/browser/drawing_test.mjs

import assert from "node:assert/strict";
import { register } from "node:module";
import { test } from "node:test";
import { colour, theme } from "../../sm/ops/map/page/src/colours.js";
import { Fabric } from "../../sm/ops/map/page/src/fabric.js";
import { foldHosts } from "../../sm/ops/map/page/src/layout_parts.js";
import { treeLayout } from "../../sm/ops/map/page/src/layout_tree.js";
import { lostText, selectionOfLost } from "../../sm/ops/map/page/src/lost.js";
import { linesOfPath, placeLabels, Places } from "../../sm/ops/map/page/src/path_labels.js";
import { carryOver } from "../../sm/ops/map/page/src/selection.js";
import { topologyOf, without } from "./stand_in.mjs";

// The layout of fabrics of unknown shape needs a package that is not installed where tests run; nothing here uses it.
const empty = "data:text/javascript,export const forceCollide=0,forceLink=0,forceManyBody=0,forceSimulation=0,forceX=0,forceY=0;";
const hook = `export async function resolve(name, context, next) {
  return name === "d3-force" ? { url: "${empty}", shortCircuit: true } : next(name, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { Scene } = await import("../../sm/ops/map/page/src/scene.js");

const LEAVES = 18;
const SPINES = 9;
const PARALLEL = 2;

/** Leaves with a host each, and spines with two links to each leaf. */
function net() {
  const nodes = [];
  const links = [];
  const add = (name, type) => nodes.push({ guid: `0x${(16 * (nodes.length + 1)).toString(16).padStart(16, "0")}`, name, type }) - 1;
  const leaves = Array.from({ length: LEAVES }, (_, i) => add(`leaf-${i + 1}`, 2));
  const hosts = leaves.map((_, i) => add(`H${i + 1}`, 1));
  leaves.forEach((leaf, i) => links.push({ a: leaf, aPort: 1, b: hosts[i], bPort: 1 }));
  for (let spine = 0; spine < SPINES; spine++) {
    const node = add(`spine-${spine + 1}`, 2);
    leaves.forEach((leaf, i) => {
      for (let n = 0; n < PARALLEL; n++) links.push({ a: leaf, aPort: 2 + PARALLEL * spine + n, b: node, bPort: 1 + PARALLEL * i + n });
    });
  }
  return { nodes, links };
}

/** The layout of a tree alone: that of other fabrics needs a package which these tests do without. */
function layOut(fabric) {
  const layout = treeLayout(fabric);
  for (const node of fabric.switches) foldHosts(fabric, layout, node);
  layout.finish();
  return layout;
}

/** All links from one leaf to another, with even shares. */
function adaptivePath(fabric, from, to) {
  const share = 1 / (SPINES * PARALLEL);
  const up = fabric.linksOf(from).filter((link) => fabric.isBetweenSwitches(link)).map((link) => ({ link, from, vl: 0, share }));
  const down = fabric.linksOf(to).filter((link) => fabric.isBetweenSwitches(link)).map((link) => ({ link, from: fabric.peer(link, to), vl: 0, share }));
  return [...up, ...down];
}

const overlap = (a, b) => a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

test("LabelsOfAnAdaptivePathDoNotCoverOneAnother", () => {
  const fabric = new Fabric(topologyOf(net(), "tree"));
  const scene = new Scene(fabric, layOut(fabric));
  const scale = 2;
  const at = (link, t) => {
    const [x1, y1, x2, y2] = scene.drawnPiecesOf(link);
    return [scale * (x1 + t * (x2 - x1)), scale * (y1 + t * (y2 - y1))];
  };
  const paths = { forward: adaptivePath(fabric, 0, LEAVES - 1), reverse: adaptivePath(fabric, LEAVES - 1, 0) };
  for (const isBundled of [true, false]) {
    scene.isBundled = isBundled;
    const labels = placeLabels(scene, paths, new Places(), at, () => true);
    labels.forEach((one, i) => labels.slice(0, i).forEach((other) => assert.ok(!overlap(one, other), `${JSON.stringify(one)} covers ${JSON.stringify(other)}`)));
    if (isBundled) assert.equal(labels.length, 2 * 2 * SPINES, "both directions of each line have one");
    assert.equal(labels[0].text, isBundled ? "11 %" : "5.6 %");
  }
  const taken = new Places();
  taken.take({ left: -1e6, top: -1e6, width: 2e6, height: 2e6 });
  assert.deepEqual(placeLabels(scene, paths, taken, at, () => true), [], "without room there is no label");
});

test("LinksOfABundleAreOneLineWithTheSumOfTheirShares", () => {
  const fabric = new Fabric(topologyOf(net(), "tree"));
  const scene = new Scene(fabric, layOut(fabric));
  scene.isBundled = true;
  const lines = linesOfPath(scene, adaptivePath(fabric, 0, 1));
  assert.equal(lines.length, 2 * SPINES);
  for (const { share } of lines) assert.ok(Math.abs(share - 1 / SPINES) < 1e-9);
});

test("OnlyLinksBetweenSwitchesAreUnused", () => {
  const fabric = new Fabric(topologyOf(net(), "tree"));
  const between = Array.from({ length: fabric.linkCount }, (_, link) => link).filter((link) => fabric.isBetweenSwitches(link));
  const [unused, down] = between;
  const load = (link) => (!between.includes(link) || link === down ? -1 : link === unused ? 0 : 100);
  const loads = fabric.links.a.map((_, link) => load(link));
  const { classes, links } = colour("load", fabric, { loads: { ab: loads, ba: loads }, usual: 100, down: new Set() }, theme("light"));
  const listed = classes.filter(({ isListed }) => isListed);
  assert.equal(listed[0].label, "unused");
  assert.equal(listed[0].links, 2, "one without a route, and one that is not up");
  assert.equal(listed.reduce((sum, one) => sum + one.links, 0), between.length, "the legend counts no link of a host");
  assert.equal(classes[links[between[2]]].label, "51 to 125 (about the mean)");
  const before = colour("load", fabric, { loads: null, usual: 1, down: new Set() }, theme("light"));
  assert.equal(before.classes[0].label, "no tables yet");
  assert.equal(before.classes[0].links, between.length);
});

test("TheSelectionFollowsANodeThatIsLostAndComesBack", () => {
  const whole = net();
  const [before, after] = [new Fabric(topologyOf(whole, "tree")), new Fabric(topologyOf(without(whole, [0]), "tree", "2"))];
  const lost = carryOver({ kind: "node", node: 0 }, before, after);
  assert.deepEqual(lost, selectionOfLost({ kind: "node", node_guid: before.guid[0] }));
  assert.deepEqual(carryOver(lost, after, after), lost);
  assert.deepEqual(carryOver(lost, after, before), { kind: "node", node: 0 });
  const link = { kind: "lost", guid: before.guid[1], port: 2 };
  assert.deepEqual(carryOver(link, after, before), { kind: "link", link: before.linkAt(1, 2) });
});

test("TheLegendSaysHowMuchIsLost", () => {
  const rows = [{ kind: "node", is_switch: true }, ...Array.from({ length: 18 }, () => ({ kind: "node", is_switch: false })), { kind: "link" }];
  assert.equal(lostText(rows), "1 switch, 18 hosts, 1 link");
  assert.equal(lostText([]), "");
});
