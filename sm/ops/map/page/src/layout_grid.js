// A torus or mesh: its places as grid.js finds them. Two dimensions make a plane; planes of further dimensions
// stand side by side.

import { byName, highestCell, Layout, PITCH_X, place } from "./layout_parts.js";

const COLUMN = PITCH_X + 16;
const PLANES_GAP = 40;

export function gridLayout(fabric, grid) {
  const { radix, wraps } = grid;
  const layout = new Layout(fabric, `${wraps.some(Boolean) ? "torus" : "mesh"} of ${radix.join(" × ")} switches`);
  const columns = radix[0];
  const rows = radix[1] ?? 1;
  const row = highestCell(fabric, fabric.switches) + 18;
  const planes = radix.slice(2).reduce((product, n) => product * n, 1);
  const planeWidth = columns * COLUMN + PLANES_GAP;
  const planeHeight = rows * row + PLANES_GAP;
  const across = planesAcross(planes, planeWidth, planeHeight);

  const byPlane = Array.from({ length: planes }, () => []);
  for (const node of fabric.switches) {
    const at = grid.place[node];
    if (!at) continue;
    const plane = planeOf(at, radix);
    byPlane[plane].push(node);
    const left = (plane % across) * planeWidth + at[0] * COLUMN;
    place(layout, node, left, Math.floor(plane / across) * planeHeight + (at[1] ?? 0) * row);
  }
  byPlane.forEach((nodes, plane) => {
    const left = (plane % across) * planeWidth - 12;
    const top = Math.floor(plane / across) * planeHeight - 12;
    const name = planes > 1 ? `Plane ${coordinates(plane, radix).join(", ")}` : "Grid";
    layout.part(`${name}: ${nodes.length} ${nodes.length === 1 ? "switch" : "switches"}`, byName(fabric, nodes));
    if (planes > 1) {
      const right = left + columns * COLUMN + 2;
      layout.frames.push({ name, left, top, right, bottom: top + rows * row + 4, showName: true });
    }
  });
  layout.bends = bendsOf(fabric, grid, row);
  return layout;
}

function planesAcross(planes, width, height) {
  let best = planes;
  let bestScale = 0;
  for (let across = 1; across <= planes; across++) {
    const scale = Math.min(1400 / (across * width), 760 / (Math.ceil(planes / across) * height));
    if (scale > bestScale) [best, bestScale] = [across, scale];
  }
  return best;
}

function planeOf(at, radix) {
  let plane = 0;
  for (let dimension = radix.length - 1; dimension >= 2; dimension--) plane = plane * radix[dimension] + at[dimension];
  return plane;
}

function coordinates(plane, radix) {
  return radix.slice(2).map((n) => {
    const at = plane % n;
    plane = Math.floor(plane / n);
    return at;
  });
}

/** Links that close a ring, and those between planes, are bent: straight ones would lie upon others. */
function bendsOf(fabric, grid, row) {
  const bends = new Map();
  for (let link = 0; link < fabric.linkCount; link++) {
    const from = grid.place[fabric.links.a[link]];
    const to = grid.place[fabric.links.b[link]];
    if (!from || !to) continue;
    const dimension = from.findIndex((value, i) => value !== to[i]);
    if (dimension < 0) continue;
    const far = Math.abs(from[dimension] - to[dimension]);
    if (dimension === 0 && far > 1) bends.set(link, [0, row * 0.62]);
    if (dimension === 1 && far > 1) bends.set(link, [COLUMN * 0.62, 0]);
    if (dimension >= 2) bends.set(link, [COLUMN * 0.2, -row * (far > 1 ? 0.75 : 0.42)]);
  }
  return bends;
}
