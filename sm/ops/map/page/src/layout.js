// Where nodes are drawn: chosen by the kind of the topology.

import { compareNames } from "./fabric.js";
import { foldHosts, Layout, placeRow } from "./layout_parts.js";
import { treeLayout } from "./layout_tree.js";
import { findGrid } from "./grid.js";
import { gridLayout } from "./layout_grid.js";
import { placeRouters } from "./subnets.js";
import { groupsLayout, groupsOf } from "./layout_groups.js";
import { forceLayout } from "./layout_force.js";

export { SWITCH_HEIGHT, SWITCH_WIDTH } from "./layout_parts.js";

/**
 * A Layout of all nodes: the same fabric gives the same places (a large one by force: as far as time allows). `screen`: the width
 * and height that a tree is to fit, if they are not those of a desk.
 */
export function layOut(fabric, screen = undefined) {
  const layout = arrange(fabric, screen);
  for (const node of fabric.switches) foldHosts(fabric, layout, node);
  placeRouters(fabric, layout);
  placeLoose(fabric, layout);
  layout.finish();
  return layout;
}

function arrange(fabric, screen) {
  const { kind } = fabric.topology;
  if (fabric.switches.length === 0) return new Layout(fabric, "nodes without a switch");
  if (kind === "tree" || kind === "one_switch") return treeLayout(fabric, screen);
  const found = kind === "dragonfly" ? null : findGrid(fabric);
  if (found) return gridLayout(fabric, found);
  const groups = groupsOf(fabric);
  return groups ? groupsLayout(fabric, groups) : forceLayout(fabric);
}

/** Nodes that no switch holds: in a row of their own below all others. */
function placeLoose(fabric, layout) {
  const loose = [];
  for (let node = 0; node < fabric.nodeCount; node++) {
    if (!layout.isPlaced(node)) loose.push(node);
  }
  if (loose.length === 0) return;
  loose.sort((a, b) => compareNames(fabric.name[a], fabric.name[b]));
  const { left, bottom } = layout.extent();
  placeRow(layout, loose, left, bottom + 40, 20);
  layout.part("Not attached to a switch", loose);
}
