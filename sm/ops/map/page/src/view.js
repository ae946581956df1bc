// The drawing: camera, pointer and keys, and what lies above the shapes (names, ports, the selection).

import { CanvasRenderer } from "./draw_canvas.js";
import { WebGlRenderer } from "./draw_webgl.js";
import { rgb } from "./colours.js";
import { SWITCH_HEIGHT } from "./layout.js";
import { LineList } from "./scene.js";

const MARGIN = 34;
const NAME_FROM_PX = 46; // a switch is this wide before its name is written
const HOST_NAME_FROM_PX = 46;
const PORTS_FROM_PX = 300;
const NAMES_MOST = 260;
const SCALE_MOST = 60;
const FONT = "11px system-ui, sans-serif";
const CHARACTER_PX = 6.1;

export class MapView {
  /**
   * onSelect(selection): {kind: "node", node}, {kind: "link", link}, {kind: "port", node, port} or null.
   * onAnnounce(text): for who does not see the drawing.
   */
  constructor(canvas, overlay, { onSelect, onAnnounce, useCanvas = false }) {
    Object.assign(this, { canvas, overlay, onSelect, onAnnounce });
    this.context = overlay.getContext("2d");
    this.renderer = useCanvas ? new CanvasRenderer(canvas) : makeRenderer(canvas);
    this.camera = { x: 0, y: 0, scale: 1 };
    this.selection = null;
    this.paths = null;
    this.markedNodes = new Map();
    this.frames = { count: 0, total_ms: 0, longest_ms: 0 };
    this.wanted = false;
    new ResizeObserver(() => this.resize()).observe(overlay);
    this.listen();
  }

  // ---- what is drawn

  setPalette(palette) {
    this.palette = palette;
    this.renderer.setBackground(palette.background);
    if (this.scene) this.recolour(this.colouring);
  }

  /** A new fabric. The camera stays where it is if `keep`. */
  setScene(scene, colouring, keep) {
    this.scene = scene;
    this.recolour(colouring);
    this.resize();
    if (!keep) this.fit();
  }

  recolour(colouring) {
    this.colouring = colouring;
    const { ordinary, strong } = this.scene.lines(colouring, this.palette);
    this.renderer.setLines("ordinary", ordinary);
    this.renderer.setLines("strong", strong);
    this.renderer.setRectangles(this.scene.rectangles, this.scene.rectangleColours(colouring));
    this.mark();
  }

  /** `paths`: {forward: [{link, from, vl}], reverse: [...]} or null. */
  setPaths(paths) {
    this.paths = paths;
    this.mark();
  }

  /** node -> severity: marked beside the name. */
  setMarkedNodes(nodes) {
    this.markedNodes = nodes;
    this.redraw();
  }

  select(selection) {
    this.selection = selection;
    this.mark();
  }

  mark() {
    if (!this.scene) return;
    const lines = new LineList();
    const add = (link, colour, width, shift) => lines.add(this.scene.piecesOf(link), [...rgb(colour), 255], width, shift);
    if (this.selection?.kind === "node") {
      const { fabric } = this.scene;
      for (const link of fabric.linksOf(this.selection.node)) {
        const isOwnHost = this.scene.isHidden(link) && fabric.isSwitch(this.selection.node);
        if (!isOwnHost) lines.add(this.scene.piecesOf(link), [...rgb(this.palette.selected), 110], 1.2, 0);
      }
    }
    const link = this.selectedLink();
    if (link >= 0) add(link, this.palette.selected, 3, 0);
    for (const [hops, colour, shift] of [
      [this.paths?.forward, this.palette.forward, 2.2],
      [this.paths?.reverse, this.palette.reverse, 2.2],
    ]) {
      for (const hop of hops ?? []) {
        // To the right of where packets go, so that both directions are seen.
        const sign = this.scene.fabric.links.a[hop.link] === hop.from ? 1 : -1;
        add(hop.link, colour, 3, shift * sign);
      }
    }
    this.renderer.setLines("marks", lines.take());
    this.redraw();
  }

  selectedLink() {
    const { selection } = this;
    if (selection?.kind === "link") return selection.link;
    if (selection?.kind === "port") return this.scene.fabric.linkAt(selection.node, selection.port);
    return -1;
  }

  // ---- camera

  resize() {
    const { clientWidth: width, clientHeight: height } = this.overlay;
    if (width === 0 || height === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const isFirst = !this.width;
    Object.assign(this, { width, height, ratio });
    this.renderer.resize(width, height, ratio);
    this.overlay.width = Math.round(width * ratio);
    this.overlay.height = Math.round(height * ratio);
    if (isFirst && this.scene) this.fit();
    this.redraw();
  }

  fitScale() {
    const { left, top, right, bottom } = this.scene.layout.bounds;
    const scale = Math.min((this.width - 2 * MARGIN) / (right - left), (this.height - 2 * MARGIN) / (bottom - top));
    return Math.min(Math.max(scale, 0.001), 6);
  }

  fit() {
    if (!this.scene || !this.width) return;
    const { left, top, right, bottom } = this.scene.layout.bounds;
    this.camera = { x: (left + right) / 2, y: (top + bottom) / 2, scale: this.fitScale() };
    this.redraw();
  }

  pan(x_px, y_px) {
    this.camera.x += x_px / this.camera.scale;
    this.camera.y += y_px / this.camera.scale;
    this.redraw();
  }

  /** About a point of the screen; about the middle without one. */
  zoom(factor, x_px = this.width / 2, y_px = this.height / 2) {
    const { camera } = this;
    const scale = Math.min(SCALE_MOST, Math.max(this.fitScale() * 0.4, camera.scale * factor));
    const dx = x_px - this.width / 2;
    const dy = y_px - this.height / 2;
    camera.x += dx / camera.scale - dx / scale;
    camera.y += dy / camera.scale - dy / scale;
    camera.scale = scale;
    this.redraw();
  }

  /** Shows what is selected: a node with its name and those around it, a port with its number, a link whole. */
  zoomTo(selection) {
    const { layout, fabric } = this.scene;
    if (selection.kind === "link") {
      const { a, b } = fabric.links;
      const [from, to] = [a[selection.link], b[selection.link]];
      const width = Math.abs(layout.x[from] - layout.x[to]) + 120;
      const height = Math.abs(layout.y[from] - layout.y[to]) + 80;
      const scale = Math.min(this.width / width, this.height / height, 8);
      this.camera = { x: (layout.x[from] + layout.x[to]) / 2, y: (layout.y[from] + layout.y[to]) / 2, scale };
    } else {
      const isSwitch = fabric.isSwitch(selection.node);
      const isPort = selection.kind === "port" && isSwitch;
      const scale = isPort ? Math.min(SCALE_MOST, Math.max(18, this.scene.portCount(selection.node) * 0.75)) : isSwitch ? 3.2 : 16;
      const x = layout.x[selection.node] + (isPort ? this.scene.portOffset(selection.node, selection.port) : 0);
      this.camera = { x, y: layout.y[selection.node], scale: Math.max(isPort ? 0 : this.fitScale(), scale) };
    }
    this.redraw();
  }

  toScreen(x, y) {
    return [(x - this.camera.x) * this.camera.scale + this.width / 2, (y - this.camera.y) * this.camera.scale + this.height / 2];
  }
  toWorld(x_px, y_px) {
    return [(x_px - this.width / 2) / this.camera.scale + this.camera.x, (y_px - this.height / 2) / this.camera.scale + this.camera.y];
  }

  // ---- frames

  redraw() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      const start = performance.now();
      this.draw();
      const ms = performance.now() - start;
      this.frames.count++;
      this.frames.total_ms += ms;
      this.frames.longest_ms = Math.max(this.frames.longest_ms, ms);
      this.onDrawn?.();
    });
  }

  draw() {
    if (!this.scene || !this.width) return;
    // From close there are fewer lines on the screen: each can be plainer.
    const strength = Math.min(7, Math.max(1, Math.sqrt(this.camera.scale / this.fitScale())));
    this.renderer.draw({ ...this.camera, strength });
    const { context } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = FONT;
    context.textBaseline = "middle";
    this.drawFrames();
    this.drawNodes();
    this.drawVls();
    this.drawSelection();
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
      context.fillText(name, left + 1, top - 7);
    }
  }

  drawNodes() {
    const { scene, camera, palette, context } = this;
    const { layout, fabric } = scene;
    const switchWidth = 36 * camera.scale;
    let names = 0;
    context.textAlign = "center";
    for (const node of fabric.switches) {
      const [x, y] = this.toScreen(layout.x[node], layout.y[node]);
      if (x < -switchWidth || y < -switchWidth || x > this.width + switchWidth || y > this.height + switchWidth) continue;
      const marked = this.markedNodes.get(node);
      if (marked) this.drawMark(x + switchWidth / 2, y - (SWITCH_HEIGHT / 2) * camera.scale, palette[marked]);
      if (switchWidth < NAME_FROM_PX || names > NAMES_MOST) continue;
      names++;
      if (switchWidth >= PORTS_FROM_PX) this.drawPorts(node, x, y);
      context.fillStyle = switchWidth >= PORTS_FROM_PX ? inkOn(palette.node) : readableOn(scene, this.colouring, node);
      // The middle of what is seen of it.
      const seen = (Math.max(0, x - switchWidth / 2) + Math.min(this.width, x + switchWidth / 2)) / 2;
      context.fillText(shorten(fabric.name[node], switchWidth - 6), seen, y);
    }
    if (camera.scale * 3.2 < HOST_NAME_FROM_PX / 4) return;
    for (let node = 0; node < fabric.nodeCount && names < NAMES_MOST; node++) {
      if (fabric.isSwitch(node)) continue;
      const width = layout.width[node] * camera.scale;
      if (width < HOST_NAME_FROM_PX) continue;
      const [x, y] = this.toScreen(layout.x[node], layout.y[node]);
      if (x < -width || y < -width || x > this.width + width || y > this.height + width) continue;
      names++;
      context.fillStyle = readableOn(scene, this.colouring, node);
      context.fillText(shorten(fabric.name[node], width - 4), x, y);
    }
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

  drawVls() {
    const { context, palette, scene } = this;
    if (!this.paths) return;
    context.textAlign = "center";
    for (const [hops, colour, side] of [
      [this.paths.forward, palette.forward, 1],
      [this.paths.reverse, palette.reverse, -1],
    ]) {
      for (const hop of hops ?? []) {
        if (hop.vl === null || hop.vl === undefined || !scene.firstPiece.has(hop.link)) continue;
        const [x, y] = this.toScreen(...scene.middleOf(hop.link));
        const text = `VL ${hop.vl}`;
        const width = text.length * CHARACTER_PX + 8;
        const left = x - width / 2 + (side * (width + 6)) / 2;
        context.fillStyle = palette.panel;
        context.fillRect(left, y - 8, width, 16);
        context.strokeStyle = colour;
        context.lineWidth = 1.5;
        context.strokeRect(left, y - 8, width, 16);
        context.fillStyle = colour;
        context.fillText(text, left + width / 2, y + 0.5);
      }
    }
    this.outline(this.paths.from, palette.forward);
    this.outline(this.paths.to, palette.reverse);
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
    if (!selection) return;
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

  // ---- pointer and keys

  listen() {
    const target = this.overlay;
    let drag = null;
    target.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      drag = { x: event.offsetX, y: event.offsetY, moved: 0 };
      target.setPointerCapture(event.pointerId);
    });
    target.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
      drag.moved += Math.abs(dx) + Math.abs(dy);
      Object.assign(drag, { x: event.offsetX, y: event.offsetY });
      if (drag.moved > 3) this.pan(-dx, -dy);
    });
    target.addEventListener("pointerup", (event) => {
      if (drag && drag.moved <= 3) this.onSelect(this.at(event.offsetX, event.offsetY));
      drag = null;
    });
    target.addEventListener("pointercancel", () => (drag = null));
    target.addEventListener("dblclick", (event) => this.zoom(2, event.offsetX, event.offsetY));
    target.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const lines = event.deltaMode === 1 ? 16 : 1;
        this.zoom(Math.exp(-event.deltaY * lines * 0.0016), event.offsetX, event.offsetY);
      },
      { passive: false },
    );
    target.addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    if (!this.scene || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 80;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey) this.pan(arrow[0] * step, arrow[1] * step);
    else if (arrow) this.step(...arrow);
    else if (event.key === "+" || event.key === "=") this.zoom(1.4);
    else if (event.key === "-") this.zoom(1 / 1.4);
    else if (event.key === "0" || event.key === "Home") this.fit();
    else if (event.key === "Enter" && this.selection) this.zoomTo(this.selection);
    else if (event.key === "Escape") this.onSelect(null);
    else return;
    event.preventDefault();
  }

  /** Selects the nearest node in a direction; the first switch if nothing is selected. */
  step(dx, dy) {
    const { fabric, layout } = this.scene;
    const link = this.selection?.kind === "link" ? this.selection.link : -1;
    const from = link >= 0 ? fabric.links.a[link] : (this.selection?.node ?? -1);
    let best = -1;
    if (from < 0) {
      best = fabric.switches[0] ?? 0;
    } else {
      let nearest = Infinity;
      for (let node = 0; node < fabric.nodeCount; node++) {
        const along = (layout.x[node] - layout.x[from]) * dx + (layout.y[node] - layout.y[from]) * dy;
        const aside = Math.abs((layout.x[node] - layout.x[from]) * dy) + Math.abs((layout.y[node] - layout.y[from]) * dx);
        if (along < 0.5 || aside > along * 2 + 0.5) continue;
        const distance = along + 2.5 * aside;
        if (distance < nearest) [best, nearest] = [node, distance];
      }
    }
    if (best < 0) return;
    this.onSelect({ kind: "node", node: best });
    this.bringIntoView(best);
  }

  bringIntoView(node) {
    const [x, y] = this.toScreen(this.scene.layout.x[node], this.scene.layout.y[node]);
    const margin = 60;
    const dx = x < margin ? x - margin : Math.max(0, x - (this.width - margin));
    const dy = y < margin ? y - margin : Math.max(0, y - (this.height - margin));
    if (dx !== 0 || dy !== 0) this.pan(dx, dy);
  }

  /** What is drawn at a point of the screen. */
  at(x_px, y_px) {
    if (!this.scene) return null;
    const [x, y] = this.toWorld(x_px, y_px);
    const { fabric, layout } = this.scene;
    const slack = 1.5 / this.camera.scale;
    for (let node = 0; node < fabric.nodeCount; node++) {
      if (Math.abs(x - layout.x[node]) > layout.width[node] / 2 + slack) continue;
      if (Math.abs(y - layout.y[node]) > layout.height[node] / 2 + slack) continue;
      return this.portIn(node, x, y) ?? { kind: "node", node };
    }
    return this.linkNear(x, y);
  }

  portIn(node, x, y) {
    const { fabric, layout } = this.scene;
    if (!fabric.isSwitch(node) || 36 * this.camera.scale < PORTS_FROM_PX) return null;
    const count = this.scene.portCount(node);
    const port = Math.floor(((x - layout.x[node]) / 36 + 0.5) * count) + 1;
    const link = fabric.linkAt(node, port);
    if (link < 0) return null;
    const above = layout.y[fabric.peer(link, node)] < layout.y[node] - 1;
    const fromCentre = (y - layout.y[node]) * (above ? -1 : 1);
    return fromCentre > SWITCH_HEIGHT / 2 - Math.min(36 / count, 3) - 0.2 ? { kind: "port", node, port } : null;
  }

  linkNear(x, y) {
    const { pieces, linkOfPiece } = this.scene;
    let nearest = (6 / this.camera.scale) ** 2;
    let link = -1;
    for (let i = 0; i < linkOfPiece.length; i++) {
      const [x1, y1, x2, y2] = [pieces[4 * i], pieces[4 * i + 1], pieces[4 * i + 2], pieces[4 * i + 3]];
      const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
      const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
      const distance = (x - x1 - t * (x2 - x1)) ** 2 + (y - y1 - t * (y2 - y1)) ** 2;
      if (distance < nearest) [nearest, link] = [distance, linkOfPiece[i]];
    }
    return link < 0 ? null : { kind: "link", link };
  }
}

function makeRenderer(canvas) {
  try {
    return new WebGlRenderer(canvas);
  } catch {
    // A canvas that has had another kind of context cannot change: a new one takes its place.
    const fresh = canvas.cloneNode(false);
    canvas.replaceWith(fresh);
    return new CanvasRenderer(fresh);
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
