// Any other fabric: switches repel each other, links pull them together (d3-force). Deterministic.

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
import { byName, Layout, place, SWITCH_HEIGHT, SWITCH_WIDTH } from "./layout_parts.js";

const TIME_MOST_MS = 600;
const ROUNDS_MOST = 300;

export function forceLayout(fabric) {
  const layout = new Layout(fabric, "switches placed by their links");
  const switches = byName(fabric, fabric.switches);
  const indexOf = new Map(switches.map((node, i) => [node, i]));
  const bodies = switches.map((node) => ({ node }));
  const links = [];
  for (let link = 0; link < fabric.linkCount; link++) {
    if (fabric.isBetweenSwitches(link)) {
      links.push({ source: indexOf.get(fabric.links.a[link]), target: indexOf.get(fabric.links.b[link]) });
    }
  }
  const simulation = forceSimulation(bodies)
    .force("link", forceLink(links).distance(90))
    .force("charge", forceManyBody().strength(-380))
    .force("collide", forceCollide(34))
    .force("x", forceX().strength(0.03))
    .force("y", forceY().strength(0.055))
    .stop();
  const end = performance.now() + TIME_MOST_MS;
  for (let round = 0; round < ROUNDS_MOST && performance.now() < end; round++) simulation.tick();
  for (const body of bodies) place(layout, body.node, body.x - SWITCH_WIDTH / 2, body.y - SWITCH_HEIGHT / 2);
  layout.part(`Switches: ${switches.length}`, switches);
  return layout;
}
