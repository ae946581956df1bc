// Finds the places of switches in a torus, mesh or hypercube from its links alone: the factors of a Cartesian product of
// rings and rows (after T. Feder, Product graph representations, 1992), by votes, so that lost links and switches change
// nothing.

import { compareNames } from "./fabric.js";

const NEIGHBOURS_MOST = 24;
const SWITCHES_MOST = 20000;

class Sets {
  constructor(count) {
    this.parent = Int32Array.from({ length: count }, (_, i) => i);
  }
  find(i) {
    while (this.parent[i] !== i) {
      this.parent[i] = this.parent[this.parent[i]];
      i = this.parent[i];
    }
    return i;
  }
  join(a, b) {
    this.parent[this.find(a)] = this.find(b);
  }
}

/** {radix, wraps, place: node -> [x, y, ...]}; null: the switches are no grid. */
export function findGrid(fabric) {
  const graph = graphOf(fabric);
  if (!graph) return null;
  const dimensions = dimensionsOf(graph);
  if (dimensions.length === 0) return null;
  const axes = [];
  for (const dimension of dimensions) {
    const axis = axisOf(fabric, graph, dimension, dimensions);
    if (!axis) return null;
    axes.push(axis);
  }
  const made = pairSquares(axes);
  const place = new Array(fabric.nodeCount).fill(null);
  const taken = new Set();
  graph.switches.forEach((node, i) => {
    place[node] = made.map((axis) => axis.at[i]);
    taken.add(place[node].join());
  });
  const radix = made.map((axis) => axis.length);
  const places = radix.reduce((product, length) => product * length, 1);
  if (taken.size < graph.switches.length || places > 2 * graph.switches.length) return null;
  return { radix, wraps: made.map((axis) => axis.wraps), place };
}

/** Switches and the edges between them, parallel links as one. */
function graphOf(fabric) {
  const { switches } = fabric;
  if (switches.length < 3 || switches.length > SWITCHES_MOST) return null;
  const indexOf = new Map(switches.map((node, i) => [node, i]));
  const edges = []; // [u, v, lowest port number]
  const neighbours = switches.map(() => new Map()); // neighbour -> edge
  switches.forEach((node, u) => {
    for (const link of fabric.linksOf(node)) {
      const v = indexOf.get(fabric.peer(link, node));
      if (v === undefined || v <= u || neighbours[u].has(v)) continue;
      neighbours[u].set(v, edges.length);
      neighbours[v].set(u, edges.length);
      edges.push([u, v, Math.min(fabric.links.a_port[link], fabric.links.b_port[link])]);
    }
  });
  if (neighbours.some((of) => of.size > NEIGHBOURS_MOST)) return null;
  return { switches, edges, neighbours };
}

/** The fourth corner of a square u, a, b: the only other switch that both are connected to. */
function corner(neighbours, u, a, b) {
  let found = -1;
  for (const w of neighbours[a].keys()) {
    if (w === u || !neighbours[b].has(w)) continue;
    if (found >= 0) return -1;
    found = w;
  }
  return found;
}

/** Lists of edges: those of each dimension. Opposite sides of squares are of one; so are neighbouring edges without a square. */
function dimensionsOf({ edges, neighbours }) {
  const sets = new Sets(edges.length);
  const corners = [];
  neighbours.forEach((of, u) => {
    const around = [...of];
    for (let i = 0; i < around.length; i++) {
      for (let j = i + 1; j < around.length; j++) {
        const [[a, edgeA], [b, edgeB]] = [around[i], around[j]];
        const w = neighbours[a].has(b) ? -1 : corner(neighbours, u, a, b);
        corners.push([edgeA, edgeB, w >= 0]);
        if (w < 0) continue;
        sets.join(edgeA, neighbours[b].get(w));
        sets.join(edgeB, neighbours[a].get(w));
      }
    }
  });
  const votes = new Map(); // two classes -> pairs of edges without a square, less those with one
  for (const [edgeA, edgeB, isSquare] of corners) {
    const [one, other] = [sets.find(edgeA), sets.find(edgeB)].sort((x, y) => x - y);
    const key = one * edges.length + other;
    votes.set(key, (votes.get(key) ?? 0) + (isSquare ? -1 : 1));
  }
  for (const [key, vote] of votes) {
    if (vote > 0) sets.join(Math.floor(key / edges.length), key % edges.length);
  }
  const byClass = new Map();
  edges.forEach((_, edge) => {
    const of = sets.find(edge);
    if (!byClass.has(of)) byClass.set(of, []);
    byClass.get(of).push(edge);
  });
  // What a lost link leaves over is no dimension.
  const dimensions = [...byClass.values()].filter((of) => of.length * 4 * byClass.size >= edges.length || byClass.size === 1);
  const port = (of) => of.reduce((sum, edge) => sum + edges[edge][2], 0) / of.length;
  return dimensions.sort((one, other) => port(one) - port(other));
}

/** {length, wraps, at: place of each switch along the dimension}; null: it is neither a row nor a ring. */
function axisOf(fabric, { switches, edges }, dimension, dimensions) {
  const layers = new Sets(switches.length);
  for (const other of dimensions) {
    if (other !== dimension) for (const edge of other) layers.join(edges[edge][0], edges[edge][1]);
  }
  const roots = [...new Set(switches.map((_, i) => layers.find(i)))];
  if (roots.length < 2) return null;
  const between = new Map(roots.map((root) => [root, new Map()]));
  let most = 0;
  for (const edge of dimension) {
    const [one, other] = [layers.find(edges[edge][0]), layers.find(edges[edge][1])];
    if (one === other) return null;
    for (const [from, to] of [[one, other], [other, one]]) {
      const count = (between.get(from).get(to) ?? 0) + 1;
      between.get(from).set(to, count);
      most = Math.max(most, count);
    }
  }
  const next = new Map(roots.map((root) => [root, [...between.get(root)].filter(([, count]) => count * 3 >= most).map(([to]) => to)]));
  if (roots.some((root) => next.get(root).length > 2)) return null;
  const order = walk(fabric, switches, layers, roots, next);
  if (order.length !== roots.length) return null;
  const number = new Map(order.map((root, i) => [root, i]));
  const wraps = order.length > 2 && next.get(order[0]).includes(order.at(-1));
  return { length: order.length, wraps, at: switches.map((_, i) => number.get(layers.find(i))) };
}

/** Layers one after the other, from an end of a row, or from the layer of the first name. */
function walk(fabric, switches, layers, roots, next) {
  const names = new Map();
  switches.forEach((node, i) => {
    const root = layers.find(i);
    if (!names.has(root) || compareNames(fabric.name[node], names.get(root)) < 0) names.set(root, fabric.name[node]);
  });
  const byName = (one, other) => compareNames(names.get(one), names.get(other));
  const ends = roots.filter((root) => next.get(root).length === 1);
  const order = [(ends.length > 0 ? ends : roots).sort(byName)[0]];
  const seen = new Set(order);
  for (;;) {
    const following = next.get(order.at(-1)).filter((root) => !seen.has(root)).sort(byName)[0];
    if (following === undefined) return order;
    order.push(following);
    seen.add(following);
  }
}

/** A ring of four is two dimensions of two to the search above; two of these make one again. */
function pairSquares(axes) {
  const made = [];
  let open = null;
  for (const axis of axes) {
    if (axis.length !== 2) made.push(axis);
    else if (!open) open = axis;
    else {
      const around = [[0, 1], [3, 2]]; // a ring: 00, 01, 11, 10
      made.push({ length: 4, wraps: true, at: open.at.map((one, i) => around[one][axis.at[i]]) });
      open = null;
    }
  }
  if (open) made.push(open);
  return made;
}
