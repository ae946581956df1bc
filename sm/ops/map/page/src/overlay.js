// What lies above the shapes: names, ports from close, marks of conditions, labels of a path, the selection. Drawn again in each
// frame, and only what is on the screen.

import { rgb } from "./colours.js";
import { SWITCH_HEIGHT, SWITCH_WIDTH } from "./layout.js";
import { CHARACTER_PX, placeLabels, Places } from "./path_labels.js";
import { routersOf, waysText } from "./subnets.js";

export const PORTS_FROM_PX = 300; // a switch is this wide before its ports are drawn
const NAME_FROM_PX = 46;
const HOST_NAME_FROM_PX = 46;
const NAMES_MOST = 260;
const FONT = "11px system-ui, sans-serif";
const LOST_IN_ROW = 12;
const PORT_NUMBERS_FROM_PX = 90; // a switch is this wide before the ends of its links have their port numbers
const PORT_NUMBER_GAP_PX = 8; // between a switch and the number
const PORT_NUMBER_PITCH_PX = 11; // less room between two ends has no numbers
const PORT_NUMBERS_MOST = 300;
const COUNTS_MOST = 80; // bundles on the screen that have their numbers
const COUNT_FROM_PX = 60; // a bundle is this long on the screen before it has its number
const HALO_PX = 12; // the height of what a text stands on

export class Overlay {
  constructor(context) {
    this.context = context;
  }

  prepare() {
    this.context.font = FONT;
    this.context.measureText("Switch 0123456789…");
  }

  /** `view`: a MapView, whose camera, scene and selection are drawn. */
  draw(view) {
    const { scene, camera, palette, colouring, paths, selection, markedNodes, lost, width, height, ratio } = view;
    Object.assign(this, { scene, camera, palette, colouring, paths, selection, markedNodes, lost, width, height });
    this.toScreen = (x, y) => view.toScreen(x, y);
    this.placesOfLost = (selection) => view.placesOfLost(selection);
    const { context } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = FONT;
    context.textBaseline = "middle";
    this.labels = []; // drawn last: no line crosses them
    this.drawFrames();
    this.drawSubnets();
    this.drawLost();
    this.drawNodes();
    this.placePathLabels();
    this.addPortNumbers();
    this.addCounts();
    this.drawPathLabels();
    this.drawSelection();
    this.drawLabels();
  }

  /** A text above all lines, on a patch of the background's colour unless it stands on a node. */
  label(text, x, y, colour, { align = "center", halo = this.palette.background } = {}) {
    this.labels.push({ text, x, y, colour, align, halo });
  }

  /** True if no label of a path is where a text would be. */
  isFree(text, x, y) {
    const width = text.length * CHARACTER_PX + 2;
    return this.places.isFree({ left: x - width / 2, top: y - HALO_PX / 2, width, height: HALO_PX });
  }

  drawLabels() {
    const { context } = this;
    context.globalAlpha = 0.85;
    for (const { text, x, y, align, halo } of this.labels) {
      if (!halo) continue;
      const width = text.length * CHARACTER_PX + 2;
      context.fillStyle = halo;
      context.fillRect(align === "left" ? x - 1 : x - width / 2, y - HALO_PX / 2, width, HALO_PX);
    }
    context.globalAlpha = 1;
    let before = {};
    for (const label of this.labels) {
      const { text, x, y, colour, align } = label;
      if (before.align !== align) context.textAlign = align;
      if (before.colour !== colour) context.fillStyle = colour;
      before = label;
      context.fillText(text, x, y);
    }
  }

  isOnScreen(x, y) {
    return x >= 0 && y >= 0 && x <= this.width && y <= this.height;
  }

  /** False if a line lies beside the screen: a large fabric has many lines, and few of them are seen from close. */
  isNear(x1, y1, x2, y2) {
    const { camera } = this;
    const [halfWidth, halfHeight] = [this.width / 2 / camera.scale + SWITCH_WIDTH, this.height / 2 / camera.scale + SWITCH_WIDTH];
    return !((x1 < camera.x - halfWidth && x2 < camera.x - halfWidth) || (x1 > camera.x + halfWidth && x2 > camera.x + halfWidth) ||
      (y1 < camera.y - halfHeight && y2 < camera.y - halfHeight) || (y1 > camera.y + halfHeight && y2 > camera.y + halfHeight));
  }

  /** The ends of links with their ports, from close, as long as the ports themselves have no numbers. */
  addPortNumbers() {
    const { scene, camera, palette } = this;
    const { fabric, layout } = scene;
    const switchWidth = 36 * camera.scale;
    if (switchWidth < PORT_NUMBERS_FROM_PX) return;
    let count = 0;
    for (const node of fabric.switches) {
      const [x, y] = [layout.x[node], layout.y[node]];
      const pitch = (36 / scene.portCount(node)) * camera.scale;
      // Cells along the switch have the numbers themselves.
      if (layout.linksAtPorts && (pitch < PORT_NUMBER_PITCH_PX || switchWidth >= PORTS_FROM_PX)) continue;
      if (!this.isNear(x, y, x, y)) continue;
      for (const end of fabric.endsOf(node)) {
        const link = end >> 1;
        if (!scene.firstPiece.has(link)) continue;
        const at = this.besideSwitch(node, scene.piecesOf(link), (end & 1) === 1);
        const text = String(fabric.portAt(link, node));
        if (!at || !this.isOnScreen(...at) || !this.isFree(text, ...at)) continue;
        this.label(text, ...at, palette.text);
        if (++count > PORT_NUMBERS_MOST) return;
      }
    }
  }

  /** Where a line has just left the box of a switch, on the screen; nothing if it is not followed so far. */
  besideSwitch(node, pieces, isBackwards) {
    const { scene, camera } = this;
    const [x, y] = this.toScreen(scene.layout.x[node], scene.layout.y[node]);
    const [halfWidth, halfHeight] = [18 * camera.scale + PORT_NUMBER_GAP_PX, (SWITCH_HEIGHT / 2) * camera.scale + PORT_NUMBER_GAP_PX];
    const isInside = (at) => Math.abs(at[0] - x) < halfWidth && Math.abs(at[1] - y) < halfHeight;
    const count = pieces.length / 4;
    for (let i = 0; i < count; i++) {
      const first = 4 * (isBackwards ? count - 1 - i : i);
      const ends = [this.toScreen(pieces[first], pieces[first + 1]), this.toScreen(pieces[first + 2], pieces[first + 3])];
      const [from, to] = isBackwards ? ends.reverse() : ends;
      if (isInside(to)) continue;
      // The line crosses the edge of the box in this piece: halved until it is found.
      let [near, far] = [0, 1];
      for (let step = 0; step < 8; step++) {
        const t = (near + far) / 2;
        if (isInside([from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])])) near = t;
        else far = t;
      }
      return [from[0] + far * (to[0] - from[0]), from[1] + far * (to[1] - from[1])];
    }
    return null;
  }

  /** How many links a line stands for, where few such lines are on the screen. */
  addCounts() {
    const { scene, palette } = this;
    if (!scene.isBundled) return;
    const shown = [];
    for (const bundle of scene.bundles) {
      const { pieces, links } = bundle;
      const last = pieces.length - 4;
      if (!this.isNear(pieces[0], pieces[1], pieces[last + 2], pieces[last + 3])) continue;
      const [x1, y1] = this.toScreen(pieces[0], pieces[1]);
      const [x2, y2] = this.toScreen(pieces[last + 2], pieces[last + 3]);
      if (Math.hypot(x2 - x1, y2 - y1) < COUNT_FROM_PX) continue;
      // Not all in the middle, where lines cross.
      const t = 0.3 + 0.4 * ((shown.length * 0.382) % 1);
      const middle = 4 * Math.min(last / 4, Math.floor((t * pieces.length) / 4));
      const [x, y] = pieces.length === 4
        ? [x1 + t * (x2 - x1), y1 + t * (y2 - y1)]
        : this.toScreen(pieces[middle], pieces[middle + 1]);
      if (!this.isOnScreen(x, y)) continue;
      shown.push([links.length, x, y]);
      if (shown.length > COUNTS_MOST) return;
    }
    for (const [count, x, y] of shown) if (this.isFree(`×${count}`, x, y)) this.label(`×${count}`, x, y, palette.dim);
  }

  /** Links that were lost, dashed; a node that was lost as an empty box beside what was in front of it. */
  drawLost() {
    const { context, palette, camera } = this;
    const { layout } = this.scene;
    const beside = new Map(); // how many were drawn there already
    const placeOf = (guid) => this.scene.placeOf(guid);
    context.save();
    context.strokeStyle = context.fillStyle = palette.error;
    context.lineWidth = 1.5;
    context.setLineDash([5, 4]);
    context.textAlign = "center";
    for (const one of this.lost ?? []) {
      const ghost = one.kind === "node" ? layout.lost?.get(one.node_guid) : undefined;
      if (ghost !== undefined) {
        this.drawLostNode(ghost, one.name);
        continue;
      }
      const peer = placeOf(one.peer_guid);
      const node = one.kind === "link" ? placeOf(one.node_guid) : undefined;
      if (peer === undefined || (one.kind === "link" && node === undefined)) continue;
      const [x, y] = this.toScreen(layout.x[peer], layout.y[peer]);
      const count = beside.get(peer) ?? 0;
      const size = Math.max(6, 3 * camera.scale);
      const [left, top] = node !== undefined ? this.toScreen(layout.x[node], layout.y[node]) : [x + (count + 0.5 - LOST_IN_ROW / 2) * size * 1.5, y + 6 * camera.scale + size];
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(left, top);
      context.stroke();
      if (node !== undefined) continue;
      beside.set(peer, (count + 1) % LOST_IN_ROW);
      context.strokeRect(left - size / 2, top - size / 2, size, size);
      if (size >= 14) this.label(shorten(one.name, size * 4), left, top + size, palette.error);
    }
    context.restore();
  }

  /** Where it was, empty and dashed, with the links that it had. */
  drawLostNode(node, name) {
    const { context, palette, camera } = this;
    const { layout } = this.scene;
    const [x, y] = this.toScreen(layout.x[node], layout.y[node]);
    const width = Math.max(4, layout.width[node] * camera.scale);
    const height = Math.max(3, layout.height[node] * camera.scale);
    for (const [x1, y1, x2, y2] of layout.lostLinks?.get(node) ?? []) {
      context.globalAlpha = 0.45;
      context.beginPath();
      context.moveTo(...this.toScreen(x1, y1));
      context.lineTo(...this.toScreen(x2, y2));
      context.stroke();
      context.globalAlpha = 1;
    }
    context.strokeRect(x - width / 2, y - height / 2, width, height);
    if (width >= NAME_FROM_PX) this.label(shorten(name, width - 6), x, y, palette.error);
  }

  /** Other subnets as boxes, with lines to the routers that lead there; what was lost is dashed. */
  drawSubnets() {
    const { context, palette, camera } = this;
    const { layout, fabric } = this.scene;
    context.save();
    for (const box of layout.subnets ?? []) {
      const [x, y] = this.toScreen(box.x, box.y);
      const [width, height] = [box.width * camera.scale, box.height * camera.scale];
      const isSelected = this.selection?.kind === "subnet" && this.selection.prefix === box.subnet_prefix;
      for (const { node, isLost } of routersOf(fabric, layout, box)) {
        context.setLineDash(isLost ? [5, 4] : []);
        context.strokeStyle = isLost ? palette.error : isSelected ? palette.selected : palette.link;
        context.lineWidth = isSelected ? 2 : 1.2;
        context.globalAlpha = isSelected || isLost ? 1 : 0.6;
        context.beginPath();
        context.moveTo(...this.toScreen(layout.x[node], layout.y[node] - layout.height[node] / 2));
        context.lineTo(x, y + height / 2);
        context.stroke();
      }
      const isUnreachable = box.state === "unreachable";
      context.globalAlpha = 1;
      context.setLineDash(isUnreachable ? [5, 4] : []);
      context.fillStyle = palette.panel;
      context.strokeStyle = isUnreachable ? palette.error : isSelected ? palette.selected : palette.dim;
      context.lineWidth = isSelected ? 3 : 1.5;
      context.fillRect(x - width / 2, y - height / 2, width, height);
      context.strokeRect(x - width / 2, y - height / 2, width, height);
      if (width < NAME_FROM_PX) continue;
      const ink = isUnreachable ? palette.error : palette.text;
      const apart = height > 2.2 * HALO_PX ? 8 : 0;
      this.label(shorten(box.subnet_prefix, width - 6), x, y - apart, ink, { halo: null });
      if (apart > 0) this.label(waysText(box), x, y + apart, isUnreachable ? palette.error : palette.dim, { halo: null });
    }
    context.restore();
  }

  drawFrames() {
    const { context, palette, camera } = this;
    context.strokeStyle = palette.frame;
    context.fillStyle = palette.dim;
    context.lineWidth = 1;
    context.textAlign = "left";
    for (const frame of this.scene.layout.frames) {
      const [left, top] = this.toScreen(frame.left, frame.top);
      const width = (frame.right - frame.left) * camera.scale;
      const height = (frame.bottom - frame.top) * camera.scale;
      if (left > this.width || top > this.height || left + width < 0 || top + height < 0) continue;
      context.strokeRect(Math.round(left) + 0.5, Math.round(top) + 0.5, Math.round(width), Math.round(height));
      if (!frame.showName || width < 15) continue;
      const name = frame.name.length * CHARACTER_PX > width ? frame.name.replace(/^\D+/, "") : frame.name;
      this.label(name, left + 1, top - 7, palette.dim, { align: "left" });
    }
  }

  drawNodes() {
    const { scene, camera, palette, context } = this;
    const { layout, fabric } = scene;
    const switchWidth = 36 * camera.scale;
    let names = 0;
    context.textAlign = "center";
    for (const node of [...fabric.switches, ...fabric.routers]) {
      const [x, y] = this.toScreen(layout.x[node], layout.y[node]);
      if (x < -switchWidth || y < -switchWidth || x > this.width + switchWidth || y > this.height + switchWidth) continue;
      if (fabric.isRouter(node)) this.frameRouter(x, y, switchWidth);
      const marked = this.markedNodes.get(node);
      if (marked) this.drawMark(x + switchWidth / 2, y - (SWITCH_HEIGHT / 2) * camera.scale, palette[marked]);
      if (switchWidth < NAME_FROM_PX || names > NAMES_MOST) continue;
      names++;
      const showsPorts = switchWidth >= PORTS_FROM_PX && fabric.isSwitch(node);
      if (showsPorts) this.drawPorts(node, x, y);
      const ink = showsPorts ? inkOn(palette.node) : readableOn(scene, this.colouring, node);
      // The middle of what is seen of it.
      const seen = (Math.max(0, x - switchWidth / 2) + Math.min(this.width, x + switchWidth / 2)) / 2;
      this.label(shorten(fabric.name[node], switchWidth - 6), seen, y, ink, { halo: null });
    }
    if (camera.scale * 3.2 < HOST_NAME_FROM_PX / 4) return;
    for (let node = 0; node < fabric.nodeCount && names < NAMES_MOST; node++) {
      if (fabric.isSwitch(node) || fabric.isRouter(node)) continue;
      const width = layout.width[node] * camera.scale;
      if (width < HOST_NAME_FROM_PX) continue;
      const [x, y] = this.toScreen(layout.x[node], layout.y[node]);
      if (x < -width || y < -width || x > this.width + width || y > this.height + width) continue;
      names++;
      this.label(shorten(fabric.name[node], width - 4), x, y, readableOn(scene, this.colouring, node), { halo: null });
    }
  }

  /** A router is no host: it has an edge. */
  frameRouter(x, y, width) {
    const height = SWITCH_HEIGHT * this.camera.scale;
    this.context.strokeStyle = this.palette.text;
    this.context.lineWidth = 1.5;
    this.context.strokeRect(x - width / 2, y - height / 2, width, height);
  }

  drawMark(x, y, colour) {
    const { context } = this;
    const size = Math.min(5, Math.max(2.5, this.camera.scale * 4));
    context.fillStyle = colour;
    context.strokeStyle = this.palette.background;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, y - size);
    context.lineTo(x + size, y + size * 0.8);
    context.lineTo(x - size, y + size * 0.8);
    context.closePath();
    context.fill();
    context.stroke();
  }

  /** Ports as cells: on the side where their link begins, coloured as it is. */
  drawPorts(node, x, y) {
    const { scene, camera, context, palette } = this;
    const { fabric, layout } = scene;
    const cell = (36 / scene.portCount(node)) * camera.scale;
    const height = Math.min(cell, 3 * camera.scale);
    // Its ports say what is wrong: the body need not.
    context.fillStyle = palette.node;
    context.fillRect(x - 18 * camera.scale, y - (SWITCH_HEIGHT / 2) * camera.scale, 36 * camera.scale, SWITCH_HEIGHT * camera.scale);
    for (const end of fabric.endsOf(node)) {
      const link = end >> 1;
      const port = fabric.portAt(link, node);
      const peer = fabric.peer(link, node);
      const above = layout.y[peer] < layout.y[node] - 1;
      const left = x + scene.portOffset(node, port) * camera.scale - cell / 2;
      if (left < -cell || left > this.width) continue;
      const edge = y + (above ? -1 : 1) * (SWITCH_HEIGHT / 2) * camera.scale;
      const of = this.colouring.classes[this.colouring.links[link]];
      context.fillStyle = of.emphasised ? of.colour : palette.panel;
      context.strokeStyle = palette.dim;
      context.lineWidth = 1;
      const top = above ? edge : edge - height;
      context.fillRect(left + 1, top, cell - 2, height);
      context.strokeRect(left + 1, top, cell - 2, height);
      if (cell > 11) {
        context.fillStyle = of.emphasised ? palette.panel : palette.text;
        context.fillText(String(port), left + cell / 2, top + height / 2 + 0.5);
      }
      if (scene.isHidden(link)) {
        const [hostX, hostY] = this.toScreen(layout.x[peer], layout.y[peer] - layout.height[peer] / 2);
        context.beginPath();
        context.moveTo(left + cell / 2, edge);
        context.lineTo(hostX, hostY);
        context.stroke();
      }
    }
  }

  /** Labels of a path take their places first: not on the names of switches, nor on one another. */
  placePathLabels() {
    const { scene, paths, camera } = this;
    this.places = new Places();
    this.pathLabels = [];
    if (!paths) return;
    const { layout, fabric } = scene;
    for (const node of [...fabric.switches, ...fabric.routers]) {
      const [x, y] = this.toScreen(layout.x[node], layout.y[node]);
      const [width, height] = [layout.width[node] * camera.scale, layout.height[node] * camera.scale];
      if (this.isNear(layout.x[node], layout.y[node], layout.x[node], layout.y[node])) this.places.take({ left: x - width / 2, top: y - height / 2, width, height });
    }
    this.pathLabels = placeLabels(scene, paths, this.places, (link, t) => this.pointOf(link, t), (x, y) => this.isOnScreen(x, y));
  }

  /** A point of the line of a link on the screen: t from 0 at its first end to 1. */
  pointOf(link, t) {
    const pieces = this.scene.drawnPiecesOf(link);
    const along = (t * pieces.length) / 4;
    const at = 4 * Math.min(pieces.length / 4 - 1, Math.floor(along));
    const rest = along - at / 4;
    return this.toScreen(pieces[at] + rest * (pieces[at + 2] - pieces[at]), pieces[at + 1] + rest * (pieces[at + 3] - pieces[at + 1]));
  }

  drawPathLabels() {
    const { context, palette, paths } = this;
    if (!paths) return;
    context.textAlign = "center";
    context.lineWidth = 1.5;
    for (const { text, kind, left, top, width, height } of this.pathLabels) {
      context.fillStyle = palette.panel;
      context.fillRect(left, top, width, height);
      context.strokeStyle = context.fillStyle = palette[kind];
      context.strokeRect(left, top, width, height);
      context.fillText(text, left + width / 2, top + height / 2 + 0.5);
    }
    this.outline(paths.from, palette.forward);
    this.outline(paths.to, palette.reverse);
  }

  outline(node, colour) {
    if (node === undefined || node < 0) return;
    const { context, scene, camera } = this;
    const { layout } = scene;
    const [x, y] = this.toScreen(layout.x[node], layout.y[node]);
    const width = Math.max(6, layout.width[node] * camera.scale) + 6;
    const height = Math.max(4, layout.height[node] * camera.scale) + 6;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.strokeRect(x - width / 2, y - height / 2, width, height);
  }

  drawSelection() {
    const { selection, scene, palette } = this;
    if (!selection || selection.kind === "subnet") return;
    if (selection.kind === "lost") {
      for (const place of this.placesOfLost(selection)) this.outline(place, palette.selected);
      return;
    }
    const { a, b } = scene.fabric.links;
    if (selection.kind === "link") {
      this.outline(a[selection.link], palette.selected);
      this.outline(b[selection.link], palette.selected);
      return;
    }
    this.outline(selection.node, palette.selected);
    if (selection.kind !== "port" || !scene.fabric.isSwitch(selection.node)) return;
    const link = scene.fabric.linkAt(selection.node, selection.port);
    const peer = link < 0 ? selection.node : scene.fabric.peer(link, selection.node);
    const above = scene.layout.y[peer] < scene.layout.y[selection.node] - 1;
    const cell = 36 / scene.portCount(selection.node);
    const height = Math.min(cell, 3);
    const x = scene.layout.x[selection.node] + scene.portOffset(selection.node, selection.port);
    const edge = scene.layout.y[selection.node] + (above ? -1 : 1) * (SWITCH_HEIGHT / 2);
    const [left, top] = this.toScreen(x - cell / 2, above ? edge : edge - height);
    this.context.strokeStyle = palette.forward;
    this.context.lineWidth = 2.5;
    this.context.strokeRect(left - 1, top - 1, cell * this.camera.scale + 2, height * this.camera.scale + 2);
  }
}

function shorten(text, width) {
  const most = Math.max(2, Math.floor(width / CHARACTER_PX));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Black or white, whichever is legible on the colour of a node. */
function readableOn(scene, colouring, node) {
  const of = colouring.classes[colouring.nodes[node]];
  of.ink ??= [inkOn(of.colour), inkOn(of.host)];
  return of.ink[scene.fabric.isSwitch(node) ? 0 : 1];
}

function inkOn(hex) {
  const [r, g, b] = rgb(hex);
  return 0.299 * r + 0.587 * g + 0.114 * b > 130 ? "#101418" : "#ffffff";
}
