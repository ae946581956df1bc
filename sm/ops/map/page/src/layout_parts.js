// What all layouts are made of. Units are those of the drawing: a switch is 36 wide.

import { compareNames } from "./fabric.js";

export const SWITCH_WIDTH = 36;
export const SWITCH_HEIGHT = 12;
export const PITCH_X = 42;
const HOSTS_IN_ROW = 9;
const HOST_PITCH = 4;
const HOSTS_GAP = 2;

export class Layout {
  /** `title` says in words what is drawn. */
  constructor(fabric, title) {
    this.title = title;
    this.x = new Float32Array(fabric.nodeCount).fill(NaN); // centres
    this.y = new Float32Array(fabric.nodeCount).fill(NaN);
    this.width = new Float32Array(fabric.nodeCount);
    this.height = new Float32Array(fabric.nodeCount);
    this.frames = []; // {name, left, top, right, bottom}: around switches that belong together
    this.parts = []; // {name, nodes}: what the drawing consists of, for the outline
    this.bends = null; // link -> how far its middle is moved [x, y]; null: all links are straight
    this.linksAtPorts = false; // links end above or below their port, not in the centre
  }
  isPlaced(node) {
    return !Number.isNaN(this.x[node]);
  }
  part(name, nodes) {
    if (nodes.length > 0) this.parts.push({ name, nodes });
  }
  extent() {
    let left = Infinity;
    let top = Infinity;
    let right = -Infinity;
    let bottom = -Infinity;
    for (let node = 0; node < this.x.length; node++) {
      if (!this.isPlaced(node)) continue;
      left = Math.min(left, this.x[node] - this.width[node] / 2);
      right = Math.max(right, this.x[node] + this.width[node] / 2);
      top = Math.min(top, this.y[node] - this.height[node] / 2);
      bottom = Math.max(bottom, this.y[node] + this.height[node] / 2);
    }
    for (const frame of this.frames) {
      left = Math.min(left, frame.left);
      right = Math.max(right, frame.right);
      top = Math.min(top, frame.top);
      bottom = Math.max(bottom, frame.bottom);
    }
    return left === Infinity ? { left: 0, top: 0, right: 1, bottom: 1 } : { left, top, right, bottom };
  }
  finish() {
    this.bounds = this.extent();
  }
}

export function byName(fabric, nodes) {
  return [...nodes].sort((a, b) => compareNames(fabric.name[a], fabric.name[b]) || a - b);
}

/** A switch by the left upper corner of its cell. */
export function place(layout, node, left = 0, top = 0) {
  layout.width[node] = SWITCH_WIDTH;
  layout.height[node] = SWITCH_HEIGHT;
  layout.x[node] = left + SWITCH_WIDTH / 2;
  layout.y[node] = top + SWITCH_HEIGHT / 2;
}

export function placeRow(layout, nodes, left, top, columns) {
  nodes.forEach((node, i) => {
    place(layout, node, left + (i % columns) * PITCH_X, top + Math.floor(i / columns) * (SWITCH_HEIGHT + 8));
  });
}

/** How high a switch with its hosts is. */
export function cellHeight(fabric, node) {
  const rows = Math.ceil(fabric.hostsOf(node).length / HOSTS_IN_ROW);
  return SWITCH_HEIGHT + (rows > 0 ? HOSTS_GAP + rows * HOST_PITCH : 0);
}

export function highestCell(fabric, nodes) {
  return nodes.reduce((most, node) => Math.max(most, cellHeight(fabric, node)), 0);
}

/** Hosts in rows of small cells under their switch, in the order of its ports. */
export function foldHosts(fabric, layout, node) {
  const hosts = Array.from(fabric.hostsOf(node));
  if (hosts.length === 0) return;
  const portOf = new Map();
  for (const end of fabric.endsOf(node)) {
    const link = end >> 1;
    const peer = fabric.peer(link, node);
    if (!portOf.has(peer)) portOf.set(peer, fabric.portAt(link, node));
  }
  hosts.sort((a, b) => (portOf.get(a) ?? 0) - (portOf.get(b) ?? 0));
  const columns = Math.min(hosts.length, HOSTS_IN_ROW);
  const pitch = columns < HOSTS_IN_ROW ? Math.min(SWITCH_WIDTH / columns, 9) : HOST_PITCH;
  const left = layout.x[node] - (columns * pitch) / 2;
  const top = layout.y[node] + SWITCH_HEIGHT / 2 + HOSTS_GAP;
  hosts.forEach((host, i) => {
    layout.width[host] = pitch - 0.8;
    layout.height[host] = HOST_PITCH - 0.8;
    layout.x[host] = left + ((i % columns) + 0.5) * pitch;
    layout.y[host] = top + (Math.floor(i / columns) + 0.5) * HOST_PITCH;
  });
}

/** Connected components of `nodes` over the links for which `joins(link)`, largest names first in order. */
export function components(fabric, nodes, joins) {
  const member = new Set(nodes);
  const found = [];
  for (const start of byName(fabric, nodes)) {
    if (!member.delete(start)) continue;
    const component = [start];
    for (let i = 0; i < component.length; i++) {
      for (const end of fabric.endsOf(component[i])) {
        const link = end >> 1;
        const peer = fabric.peer(link, component[i]);
        if (joins(link) && member.delete(peer)) component.push(peer);
      }
    }
    found.push(byName(fabric, component));
  }
  return found;
}
