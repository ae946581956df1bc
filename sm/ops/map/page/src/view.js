// The drawing: camera, pointer and keys, and what lies above the shapes (names, ports, the selection).

import { CanvasRenderer } from "./draw_canvas.js";
import { hasGpu, WebGlRenderer } from "./draw_webgl.js";
import { rgb } from "./colours.js";
import { SWITCH_HEIGHT, SWITCH_WIDTH } from "./layout.js";
import { findLostRow } from "./lost.js";
import { Overlay, PORTS_FROM_PX } from "./overlay.js";
import { linesOfPath } from "./path_labels.js";
import { LineList } from "./scene.js";
import { subnetAt } from "./subnets.js";

const MARGIN = 34;
const SCALE_MOST = 60;
const PATH_SCALE_MOST = 6;
const BUNDLES_UNTIL_PX = 160; // a switch is this wide before links between the same two switches are drawn one by one
const PATIENCE_PX = 3; // a pointer that moves less has not been dragged

export class MapView {
  /**
   * onSelect(selection): {kind: "node", node}, {kind: "link", link}, {kind: "port", node, port}, {kind: "subnet", prefix},
   * {kind: "lost", guid, port} (of a node without a port) or null.
   * onAnnounce(text): for who does not see the drawing. `renderer`: "canvas" or "webgl", whatever is faster here.
   */
  constructor(canvas, overlay, { onSelect, onAnnounce, renderer = null }) {
    Object.assign(this, { canvas, overlay, onSelect, onAnnounce });
    this.above = new Overlay(overlay.getContext("2d"));
    this.renderer = makeRenderer(canvas, renderer ?? (hasGpu() ? "webgl" : "canvas"));
    this.renderer.onProgress = () => this.redraw();
    this.camera = { x: 0, y: 0, scale: 1 };
    this.selection = null;
    this.paths = null;
    this.markedNodes = new Map();
    this.frames = { count: 0, total_ms: 0, longest_ms: 0 };
    this.wanted = false;
    this.covered = 0; // pixels of the drawing below a sheet: what is zoomed to is above it
    new ResizeObserver(() => this.resize()).observe(overlay);
    this.listen();
  }

  // ---- what is drawn

  setPalette(palette) {
    this.palette = palette;
    this.renderer.setBackground(palette.background);
    if (this.scene) this.recolour(this.colouring);
  }

  /** A new fabric. The camera stays where it is if `keep`, unless all is shown. */
  setScene(scene, colouring, keep) {
    this.scene = scene;
    this.recolour(colouring);
    this.resize();
    if (!keep || this.showsAll) this.fit();
  }

  recolour(colouring) {
    this.colouring = colouring;
    this.scene.isBundled = this.wantsBundles();
    const { ordinary, strong } = this.scene.lines(colouring, this.palette);
    this.renderer.setLines("ordinary", ordinary);
    this.renderer.setLines("strong", strong);
    this.renderer.setRectangles(this.scene.rectangles, this.scene.rectangleColours(colouring));
    this.mark();
  }

  wantsBundles() {
    return this.scene.bundles.length > 0 && this.camera.scale * SWITCH_WIDTH < BUNDLES_UNTIL_PX;
  }

  /** `paths`: {forward: [{link, from, vl, share}], reverse: [...]} or null. `share`: of the packets, undefined: all of them. */
  setPaths(paths) {
    this.paths = paths;
    this.mark();
  }

  /** Rows of /v1/lost. */
  setLost(lost) {
    this.lost = lost;
    this.redraw();
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
    const add = (link, colour, width, shift, opacity = 255) => lines.add(this.scene.drawnPiecesOf(link), [...rgb(colour), opacity], width, shift);
    if (this.selection?.kind === "node") {
      const { fabric } = this.scene;
      for (const link of fabric.linksOf(this.selection.node)) {
        const isOwnHost = this.scene.isHidden(link) && fabric.isSwitch(this.selection.node);
        if (!isOwnHost) lines.add(this.scene.drawnPiecesOf(link), [...rgb(this.palette.selected), 110], 1.2, 0);
      }
    }
    const link = this.selectedLink();
    if (link >= 0) add(link, this.palette.selected, 3, 0);
    for (const [hops, colour, shift] of [
      [this.paths?.forward, this.palette.forward, 2.2],
      [this.paths?.reverse, this.palette.reverse, 2.2],
    ]) {
      for (const { link, from, share } of linesOfPath(this.scene, hops ?? [])) {
        // To the right of where packets go, so that both directions are seen.
        const sign = this.scene.fabric.links.a[link] === from ? 1 : -1;
        add(link, colour, 1 + 2 * Math.sqrt(share), shift * sign, Math.round(255 * (0.4 + 0.6 * Math.sqrt(share))));
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
    this.showsAll = true;
    this.redraw();
  }

  pan(x_px, y_px) {
    if (!this.scene || !this.width) return;
    this.showsAll = false;
    this.camera.x += x_px / this.camera.scale;
    this.camera.y += y_px / this.camera.scale;
    this.redraw();
  }

  /** About a point of the screen; about the middle without one. */
  zoom(factor, x_px = this.width / 2, y_px = this.height / 2) {
    if (!this.scene || !this.width) return;
    const { camera } = this;
    const scale = Math.min(SCALE_MOST, Math.max(this.fitScale() * 0.4, camera.scale * factor));
    const dx = x_px - this.width / 2;
    const dy = y_px - this.height / 2;
    camera.x += dx / camera.scale - dx / scale;
    camera.y += dy / camera.scale - dy / scale;
    camera.scale = scale;
    this.showsAll = false;
    this.redraw();
  }

  /** Shows what is selected: a node with its name and those around it, a port with its number, a link whole. */
  zoomTo(selection) {
    const { layout, fabric } = this.scene;
    if (selection.kind === "link") {
      const { a, b } = fabric.links;
      this.fitNodes([a[selection.link], b[selection.link]], 8);
      return;
    }
    if (selection.kind === "lost") {
      this.zoomToLost(selection);
      return;
    }
    if (selection.kind === "subnet") {
      const box = layout.subnets.find((one) => one.subnet_prefix === selection.prefix);
      if (!box) return;
      this.camera = { x: box.x, y: box.y + box.height, scale: Math.min(this.width / (3 * box.width), this.height / (8 * box.height), 6) };
    } else {
      const isSwitch = fabric.isSwitch(selection.node);
      const isPort = selection.kind === "port" && isSwitch;
      const scale = isPort ? Math.min(SCALE_MOST, Math.max(18, this.scene.portCount(selection.node) * 0.75)) : isSwitch ? 3.2 : 16;
      const x = layout.x[selection.node] + (isPort ? this.scene.portOffset(selection.node, selection.port) : 0);
      this.camera = { x, y: layout.y[selection.node], scale: Math.max(isPort ? 0 : this.fitScale(), scale) };
    }
    this.camera.y += this.covered / 2 / this.camera.scale;
    this.showsAll = false;
    this.redraw();
  }

  /** The place of a lost node with what is around it, or of a lost link whole. */
  zoomToLost(selection) {
    const ends = this.placesOfLost(selection);
    if (ends.length === 0) return;
    const isHost = ends.length === 1 && this.scene.layout.width[ends[0]] < SWITCH_WIDTH;
    this.fitNodes(ends, ends.length > 1 ? 8 : isHost ? 16 : 3.2);
  }

  /** Indices in the layout of what was lost: of a node one, of a link both ends. */
  placesOfLost({ guid, port }) {
    const peer = port === undefined ? [] : [findLostRow(this.lost ?? [], { guid, port })?.peer_guid];
    return [guid, ...peer].map((one) => this.scene.placeOf(one)).filter((place) => place !== undefined);
  }

  /** Shows the path that is drawn, both directions and both ends, in the part of the drawing that no sheet covers. */
  fitPaths() {
    if (!this.paths) return;
    const { a, b } = this.scene.fabric.links;
    const links = [...(this.paths.forward ?? []), ...(this.paths.reverse ?? [])];
    const nodes = [this.paths.from, this.paths.to, ...links.flatMap(({ link }) => [a[link], b[link]])];
    this.fitNodes([...new Set(nodes)].filter((node) => node >= 0), PATH_SCALE_MOST);
  }

  /** `nodes`: indices in the layout. `most`: the largest scale. */
  fitNodes(nodes, most) {
    if (nodes.length === 0 || !this.width) return;
    const { layout } = this.scene;
    const edges = (centre, size, sign) => nodes.map((node) => centre[node] + (sign * size[node]) / 2);
    const [left, right] = [Math.min(...edges(layout.x, layout.width, -1)), Math.max(...edges(layout.x, layout.width, 1))];
    const [top, bottom] = [Math.min(...edges(layout.y, layout.height, -1)), Math.max(...edges(layout.y, layout.height, 1))];
    const room = (length, size) => Math.max(1, length - 2 * MARGIN) / Math.max(1, size);
    const scale = Math.min(room(this.width, right - left), room(this.height - this.covered, bottom - top), most);
    this.camera = { x: (left + right) / 2, y: (top + bottom) / 2 + this.covered / 2 / scale, scale };
    this.showsAll = false;
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
    if (this.scene.isBundled !== this.wantsBundles()) this.recolour(this.colouring);
    // From close there are fewer lines on the screen: each can be plainer.
    const strength = Math.min(7, Math.max(1, Math.sqrt(this.camera.scale / this.fitScale())));
    this.renderer.draw({ ...this.camera, strength });
    this.above.draw(this);
  }

  // ---- pointer and keys

  listen() {
    const target = this.overlay;
    let drag = null;
    const fingers = new Map(); // pointerId -> [x, y]
    const spread = () => {
      const [[x1, y1], [x2, y2]] = [...fingers.values()];
      return { x: (x1 + x2) / 2, y: (y1 + y2) / 2, distance: Math.max(1, Math.hypot(x1 - x2, y1 - y2)) };
    };
    target.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      drag = { x: event.offsetX, y: event.offsetY, moved: 0 };
      target.setPointerCapture(event.pointerId);
    });
    target.addEventListener("pointermove", (event) => {
      if (!drag || !fingers.has(event.pointerId)) return;
      if (fingers.size === 2) {
        const before = spread();
        fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
        const after = spread();
        drag.moved = Infinity; // the last finger that is lifted selects nothing
        this.pan(before.x - after.x, before.y - after.y);
        this.zoom(after.distance / before.distance, after.x, after.y);
        return;
      }
      fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
      drag.moved += Math.abs(dx) + Math.abs(dy);
      Object.assign(drag, { x: event.offsetX, y: event.offsetY });
      if (drag.moved > PATIENCE_PX) this.pan(-dx, -dy);
    });
    const lift = (event) => {
      fingers.delete(event.pointerId);
      if (fingers.size === 0) drag = null;
      else [[drag.x, drag.y]] = [...fingers.values()];
    };
    target.addEventListener("pointerup", (event) => {
      if (drag && drag.moved <= PATIENCE_PX) this.onSelect(this.at(event.offsetX, event.offsetY));
      lift(event);
    });
    target.addEventListener("pointercancel", lift);
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
    const from = this.selectedPlace();
    let best = -1;
    if (from < 0) {
      best = fabric.switches[0] ?? 0;
    } else {
      let nearest = Infinity;
      for (let node = 0; node < layout.x.length; node++) {
        const along = (layout.x[node] - layout.x[from]) * dx + (layout.y[node] - layout.y[from]) * dy;
        const aside = Math.abs((layout.x[node] - layout.x[from]) * dy) + Math.abs((layout.y[node] - layout.y[from]) * dx);
        if (along < 0.5 || aside > along * 2 + 0.5) continue;
        const distance = along + 2.5 * aside;
        if (distance < nearest) [best, nearest] = [node, distance];
      }
    }
    if (best < 0) return;
    this.onSelect(this.scene.selectionOf(best));
    this.bringIntoView(best);
  }

  /** The index in the layout of what is selected, of a link that of its first end; -1: nothing with a place. */
  selectedPlace() {
    const { selection } = this;
    if (selection?.kind === "link") return this.scene.fabric.links.a[selection.link];
    if (selection?.kind === "lost") return this.placesOfLost(selection)[0] ?? -1;
    return selection?.node ?? -1;
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
    for (let node = 0; node < layout.x.length; node++) {
      if (Math.abs(x - layout.x[node]) > layout.width[node] / 2 + slack) continue;
      if (Math.abs(y - layout.y[node]) > layout.height[node] / 2 + slack) continue;
      return (node < fabric.nodeCount ? this.portIn(node, x, y) : null) ?? this.scene.selectionOf(node);
    }
    const box = subnetAt(layout, x, y);
    return box ? { kind: "subnet", prefix: box.subnet_prefix } : this.linkNear(x, y);
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
    const { pieces, linkOfPiece, isBundled, bundleOf, bundles } = this.scene;
    let nearest = (6 / this.camera.scale) ** 2;
    let link = -1;
    const compare = (from, i, of) => {
      const [x1, y1, x2, y2] = [from[4 * i], from[4 * i + 1], from[4 * i + 2], from[4 * i + 3]];
      const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
      const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
      const distance = (x - x1 - t * (x2 - x1)) ** 2 + (y - y1 - t * (y2 - y1)) ** 2;
      if (distance < nearest) [nearest, link] = [distance, of];
    };
    for (let i = 0; i < linkOfPiece.length; i++) if (!isBundled || !bundleOf.has(linkOfPiece[i])) compare(pieces, i, linkOfPiece[i]);
    for (const bundle of isBundled ? bundles : [])
      for (let i = 0; i < bundle.pieces.length / 4; i++) compare(bundle.pieces, i, bundle.links[0]);
    return link < 0 ? null : { kind: "link", link };
  }
}

function makeRenderer(canvas, name) {
  if (name === "canvas") return new CanvasRenderer(canvas);
  try {
    return new WebGlRenderer(canvas);
  } catch {
    // A canvas that has had another kind of context cannot change: a new one takes its place.
    const fresh = canvas.cloneNode(false);
    canvas.replaceWith(fresh);
    return new CanvasRenderer(fresh);
  }
}
