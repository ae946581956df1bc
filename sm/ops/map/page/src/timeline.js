// Events: a line in time, and the latest as a list.

import { button, clock, element } from "./dom.js";
import { SEVERITIES } from "./colours.js";

const KEPT_MOST = 500;
const LISTED_MOST = 100;
const SPANS_MIN = [5, 15, 60, 360, 1440];
const SVG = "http://www.w3.org/2000/svg";
const QUIET_KINDS = new Set(["snapshot", "gap"]);

export class Timeline {
  /** `show(event)`: selects what an event is about. */
  constructor(axis, list, show) {
    Object.assign(this, { axis, list, show, events: [], wanted: false });
    setInterval(() => this.drawAxis(), 15000);
    new ResizeObserver(() => this.drawAxis()).observe(axis);
  }

  /** Oldest first; what is there already is not added again. */
  add(events) {
    const known = new Set(this.events.map((event) => event.id));
    const fresh = events.filter((event) => !known.has(event.id) && !QUIET_KINDS.has(event.kind));
    if (fresh.length === 0) return;
    this.events = [...this.events, ...fresh].slice(-KEPT_MOST);
    this.redraw();
  }

  redraw() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      this.drawAxis();
      this.drawList();
    });
  }

  drawList() {
    const rows = folded(this.events).slice(-LISTED_MOST).reverse().map(({ event, caused }) => {
      const severity = severityOf(event);
      const text = element("span", { class: "text" }, event.text);
      const time = element("time", { datetime: event.time }, clock(new Date(event.time)));
      const about = event.node_guid ? button("Show", () => this.show(event), { class: "link", "aria-label": `Show: ${event.text}` }) : null;
      const more = caused > 0 ? element("span", { class: "dim" }, ` and ${caused} more events that follow from it`) : null;
      return element("li", { class: severity }, time, element("span", { class: "kind" }, event.kind.replaceAll("_", " ")), text, more, about);
    });
    this.list.replaceChildren(...rows);
  }

  drawAxis() {
    const width = this.axis.clientWidth;
    if (width === 0) return;
    const height = 34;
    const now = Date.now();
    const oldest = this.events.length > 0 ? now - Date.parse(this.events[0].time) : 0;
    const minutes = SPANS_MIN.find((span) => oldest <= span * 60000) ?? SPANS_MIN.at(-1);
    const span = minutes * 60000;
    const at = (time) => 8 + (width - 16) * (1 - (now - time) / span);
    const svg = document.createElementNS(SVG, "svg");
    const draw = (tag, attributes, text) => {
      const shape = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
      if (text) shape.textContent = text;
      svg.append(shape);
    };
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    svg.setAttribute("aria-hidden", "true"); // the list says the same
    draw("line", { x1: 8, x2: width - 8, y1: 20, y2: 20, class: "axis" });
    const ticks = 5;
    for (let tick = 0; tick <= ticks; tick++) {
      const time = now - (span * tick) / ticks;
      const anchor = tick === 0 ? "end" : tick === ticks ? "start" : "middle";
      draw("text", { x: at(time), y: 33, "text-anchor": anchor, class: "tick" }, tick === 0 ? "now" : clock(new Date(time)).slice(0, 5));
    }
    for (const event of this.events) {
      const time = Date.parse(event.time);
      if (now - time > span) continue;
      const rank = Math.max(0, SEVERITIES.indexOf(event.severity));
      draw("line", { x1: at(time), x2: at(time), y1: 16 - 4 * rank, y2: 20, class: `event ${severityOf(event)}` });
    }
    this.axis.replaceChildren(svg);
  }
}

/** Events without those that follow from a node that disappeared, which has their number. */
export function folded(events) {
  const ofNode = new Map(); // by node and snapshot
  for (const event of events)
    if (event.kind === "node_disappeared" && !event.caused_by) ofNode.set(`${event.node_guid} ${event.snapshot}`, { event, caused: 0 });
  const rows = [];
  for (const event of events) {
    const cause = event.caused_by && ofNode.get(`${event.caused_by} ${event.snapshot}`);
    if (cause) cause.caused++;
    else rows.push(ofNode.get(`${event.node_guid} ${event.snapshot}`)?.event === event ? ofNode.get(`${event.node_guid} ${event.snapshot}`) : { event, caused: 0 });
  }
  return rows;
}

function severityOf(event) {
  return event.kind === "condition_cleared" || !SEVERITIES.includes(event.severity) ? "info" : event.severity;
}
