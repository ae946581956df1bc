// The lines of a path, and where their labels are: no label covers another one.

export const CHARACTER_PX = 6.1;
const HEIGHT_PX = 16;
const GAP_PX = 2;
const LABELS_MOST = 200;
const FORK = 2; // at a node with more lines of a path than this they are close together
const ALONG = Array.from({ length: 21 }, (_, i) => 0.1 + 0.04 * i); // places on a line
const FROM_MIDDLE = [...ALONG].sort((a, b) => Math.abs(a - 0.5) - Math.abs(b - 0.5));
const BACKWARDS = [...ALONG].reverse();

/** Boxes on the screen that are in use: {left, top, width, height}. */
export class Places {
  constructor() {
    this.taken = [];
  }
  isFree({ left, top, width, height }) {
    return this.taken.every((one) => left >= one.left + one.width || one.left >= left + width || top >= one.top + one.height || one.top >= top + height);
  }
  take(box) {
    this.taken.push(box);
  }
}

/**
 * One line for each link of a direction; for links of one bundle, which are one line, the sum of their shares. A VL that is not the
 * same on all of them is null.
 */
export function linesOfPath(scene, hops) {
  const lines = new Map();
  for (const { link, from, vl = null, share = 1 } of hops) {
    const key = `${scene.lineOf(link)} ${from}`;
    const known = lines.get(key);
    if (!known) lines.set(key, { link, from, vl, share });
    else Object.assign(known, { share: Math.min(1, known.share + share), vl: known.vl === vl ? vl : null });
  }
  return [...lines.values()];
}

/** "17 %" of the packets, of all of them the VL; "" if it is not known. */
function textOf({ vl, share }) {
  if (share < 0.9995) return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
  return vl === null ? "" : `VL ${vl}`;
}

/** How many lines of a path each node has. */
function countLines(links, lines) {
  const count = new Map();
  for (const { link } of lines) for (const node of [links.a[link], links.b[link]]) count.set(node, (count.get(node) ?? 0) + 1);
  return count;
}

/** Where to try, the best place first: far from a fork, else in the middle. */
function placesAlong(atA, atB) {
  if (Math.max(atA, atB) <= FORK || atA === atB) return FROM_MIDDLE;
  return atA < atB ? ALONG : BACKWARDS;
}

/**
 * [{text, left, top, width, height, kind}]: labels of both directions on their lines. `at(link, t)`: the point of a line on the
 * screen, t from its end a (0) to its end b (1); `isShown(x, y)`: whether a point is on the screen. A label for which its line has no
 * room is left out: the panel has them all.
 */
export function placeLabels(scene, paths, places, at, isShown) {
  const { a, b } = scene.fabric.links;
  const lines = ["forward", "reverse"].flatMap((kind) => linesOfPath(scene, paths[kind] ?? []).map((line) => ({ ...line, kind, text: textOf(line) })));
  const count = countLines(scene.fabric.links, lines);
  const labels = [];
  for (const { link, kind, text } of lines) {
    if (text === "" || !scene.firstPiece.has(link)) continue;
    if (labels.length === LABELS_MOST) break;
    const width = text.length * CHARACTER_PX + 8;
    for (const t of placesAlong(count.get(a[link]), count.get(b[link]))) {
      const [x, y] = at(link, t);
      const box = { left: x - width / 2 - GAP_PX, top: y - HEIGHT_PX / 2 - GAP_PX, width: width + 2 * GAP_PX, height: HEIGHT_PX + 2 * GAP_PX };
      if (!isShown(x, y) || !places.isFree(box)) continue;
      places.take(box);
      labels.push({ text, kind, left: x - width / 2, top: y - HEIGHT_PX / 2, width, height: HEIGHT_PX });
      break;
    }
  }
  return labels;
}
