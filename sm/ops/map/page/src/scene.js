// The fabric as shapes: what a renderer draws. Colours change without new shapes.

import { rgb } from "./colours.js";
import { SWITCH_HEIGHT, SWITCH_WIDTH } from "./layout.js";

const PIECES_OF_BEND = 10;

export class Scene {
  constructor(fabric, layout) {
    this.fabric = fabric;
    this.layout = layout;
    this.drawnLinks = []; // links between switches, and further links of hosts
    this.firstPiece = new Map(); // link -> [first, number of pieces]
    const pieces = [];
    for (let link = 0; link < fabric.linkCount; link++) {
      if (this.isHidden(link)) continue;
      this.drawnLinks.push(link);
      const from = pieces.length / 4;
      this.addPieces(link, pieces);
      this.firstPiece.set(link, [from, pieces.length / 4 - from]);
    }
    this.pieces = new Float32Array(pieces); // x1 y1 x2 y2
    this.linkOfPiece = new Int32Array(this.pieces.length / 4);
    for (const [link, [first, count]] of this.firstPiece) this.linkOfPiece.fill(link, first, first + count);
    this.bundleLinks();
    // Switches last: they are above hosts.
    this.order = [];
    for (let node = 0; node < fabric.nodeCount; node++) if (!fabric.isSwitch(node)) this.order.push(node);
    this.order.push(...fabric.switches);
    this.rectangles = new Float32Array(this.order.length * 4); // centre x y, width, height
    this.order.forEach((node, i) => {
      this.rectangles.set([layout.x[node], layout.y[node], layout.width[node], layout.height[node]], 4 * i);
    });
  }

  /** The index of a node in the layout, which also has the places of lost ones; undefined if it has no place. */
  placeOf(guid) {
    return this.fabric.indexOfGuid.get(guid) ?? this.layout.lost?.get(guid);
  }

  /** What selects the node at an index of the layout. */
  selectionOf(index) {
    if (index < this.fabric.nodeCount) return { kind: "node", node: index };
    const [guid] = [...this.layout.lost].find(([, place]) => place === index);
    return { kind: "lost", guid };
  }

  /** Links between the same two switches, drawn as one line from afar: [{links, pieces}]. */
  bundleLinks() {
    const { a, b } = this.fabric.links;
    const byEnds = new Map();
    for (const link of this.drawnLinks) {
      const key = a[link] < b[link] ? `${a[link]} ${b[link]}` : `${b[link]} ${a[link]}`;
      const links = byEnds.get(key);
      if (links) links.push(link);
      else byEnds.set(key, [link]);
    }
    this.bundles = [...byEnds.values()].filter((links) => links.length > 1).map((links) => ({ links, pieces: this.meanOf(links) }));
    this.bundleOf = new Map(this.bundles.flatMap((bundle) => bundle.links.map((link) => [link, bundle])));
    this.isBundled = false; // whether bundles are what is drawn now
  }

  /** A line in the middle of several, which have the same number of pieces. */
  meanOf(links) {
    const sum = new Float32Array(this.piecesOf(links[0]).length);
    const { a } = this.fabric.links;
    for (const link of links) {
      const pieces = this.piecesOf(link);
      const isSame = a[link] === a[links[0]];
      for (let i = 0; i < sum.length; i++) {
        // From the same end as the first one: pieces of another direction backwards, each with its ends exchanged.
        const at = isSame ? i : sum.length - 4 * Math.floor(i / 4) - 4 + ((i % 4) + 2) % 4;
        sum[i] += pieces[at] / links.length;
      }
    }
    return sum;
  }

  /** The pieces that stand for a link in what is drawn now. */
  drawnPiecesOf(link) {
    const bundle = this.isBundled ? this.bundleOf.get(link) : undefined;
    return bundle ? bundle.pieces : this.piecesOf(link);
  }

  /** The link that stands for it in what is drawn now: of a bundle the first one. */
  lineOf(link) {
    const bundle = this.isBundled ? this.bundleOf.get(link) : undefined;
    return bundle ? bundle.links[0] : link;
  }

  /** A host stands under its leaf: its link is seen when it is selected, or from close. */
  isHidden(link) {
    const { a, b } = this.fabric.links;
    return (
      (this.fabric.isFolded(a[link]) && this.fabric.leaf[a[link]] === b[link]) ||
      (this.fabric.isFolded(b[link]) && this.fabric.leaf[b[link]] === a[link])
    );
  }

  /** Where a link begins at its node: [x, y]. */
  endOf(node, port, peer) {
    const { layout, fabric } = this;
    const x = layout.x[node];
    const y = layout.y[node];
    if (!fabric.isSwitch(node) || !layout.linksAtPorts) return [x, y];
    const above = layout.y[peer] < y - 1;
    return [x + this.portOffset(node, port), y + (above ? -1 : 1) * (SWITCH_HEIGHT / 2)];
  }

  /** Ports stand in a row along their switch. */
  portOffset(node, port) {
    return ((port - 0.5) / this.portCount(node) - 0.5) * SWITCH_WIDTH;
  }
  portCount(node) {
    this.portCounts ??= new Map();
    let count = this.portCounts.get(node);
    if (count === undefined) {
      count = 1;
      for (const link of this.fabric.linksOf(node)) count = Math.max(count, this.fabric.portAt(link, node));
      this.portCounts.set(node, count);
    }
    return count;
  }

  addPieces(link, pieces) {
    const { a, a_port, b, b_port } = this.fabric.links;
    const [x1, y1] = this.endOf(a[link], a_port[link], b[link]);
    const [x2, y2] = this.endOf(b[link], b_port[link], a[link]);
    const bend = this.layout.bends?.get(link);
    if (!bend) {
      pieces.push(x1, y1, x2, y2);
      return;
    }
    // A parabola whose middle is `bend` beside the straight line's.
    let [x, y] = [x1, y1];
    for (let i = 1; i <= PIECES_OF_BEND; i++) {
      const t = i / PIECES_OF_BEND;
      const bulge = 4 * t * (1 - t);
      const [nextX, nextY] = [x1 + (x2 - x1) * t + bend[0] * bulge, y1 + (y2 - y1) * t + bend[1] * bulge];
      pieces.push(x, y, nextX, nextY);
      [x, y] = [nextX, nextY];
    }
  }

  piecesOf(link) {
    const [first, count] = this.firstPiece.get(link) ?? [0, 0];
    if (count > 0) return this.pieces.subarray(4 * first, 4 * (first + count));
    const pieces = [];
    this.addPieces(link, pieces);
    return pieces;
  }

  middleOf(link) {
    const pieces = this.piecesOf(link);
    const middle = Math.floor(pieces.length / 8) * 4;
    if (pieces.length > 4) return [pieces[middle], pieces[middle + 1]];
    return [(pieces[0] + pieces[2]) / 2, (pieces[1] + pieces[3]) / 2];
  }

  /** How opaque ordinary links are: many are a texture, few are lines. */
  density() {
    const hidden = this.isBundled ? this.bundleOf.size - this.bundles.length : 0;
    return Math.min(0.85, Math.max(0.2, 20 / Math.sqrt(this.drawnLinks.length - hidden + 1)));
  }

  /** Lines for a renderer: {pieces, colours (RGBA), widths and shifts in pixels}, ordinary and emphasised ones. */
  lines(colouring, palette) {
    const ordinary = new LineList();
    const strong = new LineList();
    const faint = Math.round(255 * this.density());
    // The higher class lies above the lower one.
    const inOrder = this.inOrderOfClass(colouring);
    const colours = colouring.classes.map((of, i) => [...rgb(i === 0 ? palette.link : of.colour), of.emphasised ? 235 : i === 0 ? faint : Math.min(255, faint * 2)]);
    const highest = new Map(); // bundle -> its link of the highest class, which comes last
    if (this.isBundled) for (const link of inOrder) if (this.bundleOf.has(link)) highest.set(this.bundleOf.get(link), link);
    for (const link of inOrder) {
      const of = colouring.classes[colouring.links[link]];
      const bundle = this.isBundled ? this.bundleOf.get(link) : undefined;
      if (bundle && highest.get(bundle) !== link) continue;
      const width = bundle ? of.width + Math.min(4, Math.sqrt(bundle.links.length)) * this.density() : of.width;
      (of.emphasised ? strong : ordinary).add(bundle ? bundle.pieces : this.piecesOf(link), colours[colouring.links[link]], width, 0);
    }
    return { ordinary: ordinary.take(), strong: strong.take() };
  }

  inOrderOfClass({ classes, links }) {
    const byClass = classes.map(() => []);
    for (const link of this.drawnLinks) byClass[links[link]].push(link);
    return byClass.flat();
  }

  rectangleColours(colouring) {
    const colours = new Uint8Array(this.order.length * 4);
    const switches = colouring.classes.map((of) => [...rgb(of.colour), 255]);
    const hosts = colouring.classes.map((of) => [...rgb(of.host), 255]);
    this.order.forEach((node, i) => {
      colours.set((this.fabric.isSwitch(node) ? switches : hosts)[colouring.nodes[node]], 4 * i);
    });
    return colours;
  }
}

/** Grows in place: lists of numbers would be garbage of megabytes, which the browser clears while somebody moves the map. */
export class LineList {
  constructor() {
    this.count = 0;
    this.reserve(64);
  }
  reserve(most) {
    const grown = (Kind, before, length) => {
      const made = new Kind(length);
      if (before) made.set(before);
      return made;
    };
    this.most = most;
    this.pieces = grown(Float32Array, this.pieces, 4 * most);
    this.colours = grown(Uint8Array, this.colours, 4 * most);
    this.styles = grown(Float32Array, this.styles, 2 * most);
  }
  add(pieces, colour, width, shift) {
    const more = pieces.length / 4;
    if (this.count + more > this.most) this.reserve(Math.max(2 * this.most, this.count + more));
    this.pieces.set(pieces, 4 * this.count);
    for (let i = 0; i < more; i++, this.count++) {
      this.colours.set(colour, 4 * this.count);
      this.styles[2 * this.count] = width;
      this.styles[2 * this.count + 1] = shift;
    }
  }
  take() {
    const { count } = this;
    return { count, pieces: this.pieces.slice(0, 4 * count), colours: this.colours.slice(0, 4 * count), styles: this.styles.slice(0, 2 * count) };
  }
}
