// Groups of switches with few links between them (dragonfly, dragonfly+): groups on a circle, each a
// block.

import { byName, components, highestCell, Layout, PITCH_X, place, SWITCH_HEIGHT } from "./layout_parts.js";

const GROUPS_GAP = 40;

/** The groups; null if the switches do not fall into any. */
export function groupsOf(fabric) {
  for (const joins of [withinLayers(fabric), withinTriangles(fabric)]) {
    const groups = components(fabric, fabric.switches, joins);
    const largest = Math.max(...groups.map((group) => group.length));
    const alone = groups.filter((group) => group.length === 1).length;
    if (groups.length >= 3 && largest >= 2 && alone * 10 <= groups.length) return groups;
  }
  return null;
}

/** Groups that are leaf-spine networks: what connects switches of the same layer leads to another group. */
function withinLayers(fabric) {
  const { a, b } = fabric.links;
  return (link) => fabric.isBetweenSwitches(link) && fabric.layer[a[link]] !== fabric.layer[b[link]];
}

/** Groups whose switches are all connected: both ends have most neighbours in common. */
function withinTriangles(fabric) {
  const neighbours = new Map();
  for (const node of fabric.switches) {
    const peers = fabric.linksOf(node).map((link) => fabric.peer(link, node));
    neighbours.set(node, new Set(peers.filter((peer) => fabric.isSwitch(peer))));
  }
  return (link) => {
    if (!fabric.isBetweenSwitches(link)) return false;
    const of = neighbours.get(fabric.links.a[link]);
    const others = neighbours.get(fabric.links.b[link]);
    let common = 0;
    for (const node of of) if (others.has(node)) common++;
    return common * 3 >= Math.min(of.size, others.size);
  };
}

export function groupsLayout(fabric, groups) {
  const layout = new Layout(fabric, `${groups.length} groups of switches`);
  const blocks = groups.map((nodes) => block(fabric, nodes));
  const width = Math.max(...blocks.map((one) => one.width)) + GROUPS_GAP;
  const height = Math.max(...blocks.map((one) => one.height)) + GROUPS_GAP;
  const aspect = 1.7; // of the ellipse, as of a screen
  const needed = Math.hypot(width, height) / 2;
  const radius = Math.max(needed, (needed * 2 * groups.length) / (2 * Math.PI * 1.1 * Math.sqrt(aspect)));
  blocks.forEach((one, i) => {
    const angle = (2 * Math.PI * i) / blocks.length - Math.PI / 2;
    const left = radius * aspect * Math.cos(angle) - one.width / 2;
    const top = radius * Math.sin(angle) - one.height / 2;
    for (const { node, x, y } of one.places) place(layout, node, left + x, top + y);
    const name = `Group ${i + 1}`;
    layout.frames.push({ name, left: left - 8, top: top - 8, right: left + one.width + 2, bottom: top + one.height + 8, showName: true });
    const size = groups[i].length;
    layout.part(`${name}: ${size} ${size === 1 ? "switch" : "switches"}`, groups[i]);
  });
  return layout;
}

/** Places of the switches of a group, those with hosts below the others. */
function block(fabric, nodes) {
  const layers = [...new Set(nodes.map((node) => fabric.layer[node]))].sort((a, b) => b - a);
  const columns = layers.length > 1 ? Math.min(8, nodes.length) : Math.ceil(Math.sqrt(nodes.length * 0.8));
  const places = [];
  let y = 0;
  let widest = 0;
  for (const layer of layers) {
    const row = byName(fabric, nodes.filter((node) => fabric.layer[node] === layer));
    const height = Math.max(SWITCH_HEIGHT, highestCell(fabric, row)) + 10;
    row.forEach((node, i) => {
      places.push({ node, x: (i % columns) * PITCH_X, y: y + Math.floor(i / columns) * height });
    });
    widest = Math.max(widest, Math.min(columns, row.length));
    y += Math.ceil(row.length / columns) * height + (layers.length > 1 ? 10 : 0);
  }
  return { places, width: widest * PITCH_X, height: y };
}
