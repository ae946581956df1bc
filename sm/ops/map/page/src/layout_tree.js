// A tree: a row for each layer, the highest on top; switches below the highest layer that are
// connected without it (pods) stand together.

import { byName, components, highestCell, Layout, PITCH_X, place, SWITCH_HEIGHT } from "./layout_parts.js";

const PODS_GAP = 26;
const ROWS_GAP = 9;
const SCREEN = { width: 1400, height: 760 }; // a picture that fits it is the aim
const SCALE_LEGIBLE = 0.45; // a switch is 16 pixels wide

export function treeLayout(fabric, screen = SCREEN) {
  const attached = fabric.switches.filter((node) => fabric.layer[node] !== 255);
  const highest = Math.max(1, ...attached.map((node) => fabric.layer[node]));
  const layout = new Layout(fabric, `tree of ${highest} ${highest === 1 ? "layer" : "layers"} of switches`);
  layout.linksAtPorts = true;

  const top = byName(fabric, attached.filter((node) => fabric.layer[node] === highest));
  const below = attached.filter((node) => fabric.layer[node] < highest);
  const pods = podsOf(fabric, below).map((nodes) => layersOf(fabric, nodes, highest - 1));
  const shape = bestShape(fabric, pods, top, highest, screen);

  let y = 0;
  placeRows(layout, top, (shape.width - Math.min(top.length, shape.topColumns) * PITCH_X) / 2, y, shape.topColumns, highestCell(fabric, top));
  y += shape.topHeight;
  layout.part(`Layer ${highest}, ${highest === 1 ? "switches" : "top"}: ${count(fabric, top)}`, top);
  for (let layer = highest - 1; layer >= 1; layer--) {
    y += shape.gap;
    const nodes = [];
    pods.forEach((pod, i) => {
      const row = pod[layer];
      const left = i * shape.podPitch + (shape.podPitch - PODS_GAP - Math.min(row.length, shape.columns) * PITCH_X) / 2;
      placeRows(layout, row, left, y, shape.columns, shape.cells[layer]);
      nodes.push(...row);
    });
    layout.part(`Layer ${layer}${layer === 1 ? ", with hosts" : ""}: ${count(fabric, nodes)}`, nodes);
    y += shape.heights[layer];
  }
  if (pods.length > 1) frames(layout, pods, highest, shape.cells);
  return layout;
}

function count(fabric, nodes) {
  const switches = fabric.presentOf(nodes).length;
  return `${switches} ${switches === 1 ? "switch" : "switches"}`;
}

/** Switches below the highest layer, by what connects them there; one pod if nothing does. */
function podsOf(fabric, below) {
  if (below.length === 0) return [];
  const member = new Set(below);
  const found = components(fabric, below, (link) => member.has(fabric.links.a[link]) && member.has(fabric.links.b[link]));
  return found.every((pod) => pod.length === 1) ? [byName(fabric, below)] : found;
}

function layersOf(fabric, nodes, highest) {
  const layers = Array.from({ length: highest + 1 }, () => []);
  for (const node of nodes) layers[fabric.layer[node]].push(node);
  return layers;
}

/** The number of columns of a pod: as many as stay legible, so that layers are rows if they can be. */
function bestShape(fabric, pods, top, highest, screen) {
  let best = null;
  const widest = Math.max(1, ...pods.flatMap((pod) => pod.map((row) => row.length)));
  for (const columns of new Set(Array.from({ length: widest }, (_, i) => Math.ceil(widest / (i + 1))))) {
    const podPitch = columns * PITCH_X + PODS_GAP;
    const width = Math.max(pods.length * podPitch - PODS_GAP, pods.length === 0 ? top.length * PITCH_X : 0, PITCH_X);
    const topColumns = Math.max(1, Math.floor(width / PITCH_X));
    const cells = [];
    const heights = [];
    for (let layer = 1; layer < highest; layer++) {
      const rows = Math.max(0, ...pods.map((pod) => Math.ceil(pod[layer].length / columns)));
      cells[layer] = Math.max(SWITCH_HEIGHT, ...pods.map((pod) => highestCell(fabric, pod[layer])));
      heights[layer] = rows * (cells[layer] + ROWS_GAP);
    }
    const topHeight = Math.ceil(top.length / topColumns) * (highestCell(fabric, top) + ROWS_GAP);
    const rowsHeight = topHeight + heights.reduce((sum, height) => sum + height, 0);
    const room = width / (screen.width / screen.height) - rowsHeight;
    const gap = Math.max(46, 0.14 * rowsHeight, room / Math.max(1, highest - 1));
    const height = rowsHeight + gap * (highest - 1);
    const scale = Math.min(screen.width / width, screen.height / height);
    const shape = { columns, podPitch, width, topColumns, cells, heights, topHeight, gap, scale };
    if (!best || shape.scale > best.scale) best = shape;
    if (shape.scale >= SCALE_LEGIBLE) return shape;
  }
  return best;
}

function placeRows(layout, nodes, left, top, columns, height) {
  nodes.forEach((node, i) => {
    place(layout, node, left + (i % columns) * PITCH_X, top + Math.floor(i / columns) * (height + ROWS_GAP));
  });
}

function frames(layout, pods, highest, cells) {
  pods.forEach((pod, i) => {
    for (let layer = 1; layer < highest; layer++) {
      const row = pod[layer];
      if (row.length === 0) continue;
      const left = Math.min(...row.map((node) => layout.x[node])) - 22;
      const right = Math.max(...row.map((node) => layout.x[node])) + 22;
      const top = Math.min(...row.map((node) => layout.y[node])) - SWITCH_HEIGHT / 2 - 4;
      const bottom = Math.max(...row.map((node) => layout.y[node])) - SWITCH_HEIGHT / 2 + cells[layer] + 4;
      layout.frames.push({ name: `Pod ${i + 1}`, left, top, right, bottom, showName: layer === highest - 1 });
    }
  });
}
