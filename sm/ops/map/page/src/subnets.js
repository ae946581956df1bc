// Routers in a row above the fabric, and above them the other subnets that they lead to: a box for each.

import { byName, place, PITCH_X, SWITCH_HEIGHT } from "./layout_parts.js";

const ROUTERS_GAP = 30; // between the fabric and its routers
const SUBNETS_GAP = 44; // between routers and the boxes, at least
const SUBNETS_GAP_SHARE = 0.05; // of the width
const BOX_WIDTH_LEAST = 130;
const BOXES_ACROSS = 5.5; // boxes that the width of the drawing holds
const BOX_SHAPE = 0.22; // height by width

/** Above all others, in the order of what they are attached to: their links cross as little as can be. */
export function placeRouters(fabric, layout) {
  const { routers } = fabric;
  if (routers.length === 0) return;
  const { left, top, right } = layout.extent();
  const across = (node) => (fabric.leaf[node] >= 0 ? layout.x[fabric.leaf[node]] : left);
  const inOrder = byName(fabric, routers).sort((a, b) => across(a) - across(b));
  const pitch = Math.max(PITCH_X, (right - left) / routers.length);
  const first = (left + right) / 2 - (pitch * routers.length) / 2;
  inOrder.forEach((node, i) => place(layout, node, first + (i + 0.5) * pitch - PITCH_X / 2, top - ROUTERS_GAP - SWITCH_HEIGHT));
  const present = fabric.presentOf(inOrder);
  layout.part(`Routers to other subnets: ${present.length} ${present.length === 1 ? "router" : "routers"}`, inOrder);
}

/** Rows of /v1/subnets get their places: {x, y, width, height}, the centre first. Above all that is placed. */
export function placeSubnets(layout, subnets) {
  layout.subnets = [];
  if (subnets.length === 0) return;
  const { left, top, right } = layout.bounds;
  const width = Math.max(BOX_WIDTH_LEAST, (right - left) / BOXES_ACROSS);
  const height = width * BOX_SHAPE;
  const pitch = Math.max(1.25 * width, (right - left) / subnets.length);
  const middle = (left + right) / 2;
  const y = top - Math.max(SUBNETS_GAP, SUBNETS_GAP_SHARE * (right - left)) - height / 2;
  layout.subnets = subnets.map((subnet, i) => ({ ...subnet, x: middle + (i - (subnets.length - 1) / 2) * pitch, y, width, height }));
  const reach = (pitch * (subnets.length - 1) + width) / 2;
  layout.bounds = { ...layout.bounds, top: y - height / 2, left: Math.min(left, middle - reach), right: Math.max(right, middle + reach) };
}

/** The routers of a row as nodes of the drawing: {node, isLost}, each once. */
export function routersOf(fabric, layout, subnet) {
  const found = new Map();
  for (const one of subnet.lost) found.set(one.node_guid, true);
  for (const one of subnet.routers) if (one.used) found.set(one.node_guid, false);
  const nodeOf = (guid) => fabric.indexOfGuid.get(guid) ?? layout.lost?.get(guid);
  return [...found].map(([guid, isLost]) => ({ node: nodeOf(guid), isLost })).filter(({ node }) => node !== undefined);
}

/** "4 ways", "unreachable". */
export function waysText(subnet) {
  const ways = subnet.routers.filter((one) => one.used).length;
  if (subnet.state === "unreachable") return "unreachable";
  return `${ways} ${ways === 1 ? "way" : "ways"}`;
}

/** The box at a point of the drawing; undefined: there is none. */
export function subnetAt(layout, x, y) {
  return layout.subnets?.find((box) => Math.abs(x - box.x) <= box.width / 2 && Math.abs(y - box.y) <= box.height / 2);
}

/** To compare: what the drawing of a subnet depends on. */
export function subnetsDrawn(subnets) {
  return JSON.stringify(subnets.map(({ subnet_prefix, state, routers, lost }) => [subnet_prefix, state, routers, lost]));
}
