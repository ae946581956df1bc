// The parts of the drawing as a tree (the ARIA pattern): layers, planes or groups, their switches,
// the hosts of those. Whoever does not see the drawing, or has no pointer, reaches all of it here.

import { element } from "./dom.js";
import { waysText } from "./subnets.js";

export class Outline {
  constructor(root, select) {
    Object.assign(this, { select, fabric: null });
    this.tree = element("ul", { role: "tree", "aria-label": "Parts of the fabric", onkeydown: (event) => this.onKey(event), onclick: (event) => this.onClick(event) });
    root.replaceChildren(this.tree);
  }

  show(fabric, layout) {
    const open = new Set([...this.tree.querySelectorAll('[aria-expanded="true"]')].map((item) => item.dataset.key));
    this.fabric = fabric;
    this.tree.replaceChildren(...layout.parts.map((part) => this.item(`part ${part.name.split(":")[0]}`, part.name, -1, () => part.nodes.map((node) => this.nodeItem(node)))));
    if (layout.subnets?.length > 0) {
      const boxes = layout.subnets;
      this.tree.append(this.item("subnets", `Other subnets: ${boxes.length}`, -1, () => boxes.map((box) => this.subnetItem(box))));
    }
    for (const item of this.tree.children) if (open.has(item.dataset.key)) this.expand(item);
    this.setCurrent(this.tree.firstElementChild, false);
  }

  nodeItem(node) {
    const { fabric } = this;
    const hosts = Array.from(fabric.isSwitch(node) ? fabric.hostsOf(node) : []);
    const lid = fabric.lid[node] ? `LID ${fabric.lid[node]}` : "no LID";
    const text = hosts.length > 0 ? `${fabric.name[node]}, ${lid}, ${hosts.length} ${hosts.length === 1 ? "host" : "hosts"}` : `${fabric.name[node]}, ${lid}`;
    return this.item(fabric.guid[node], text, node, hosts.length > 0 ? () => hosts.map((host) => this.nodeItem(host)) : null);
  }

  subnetItem(box) {
    const item = this.item(box.subnet_prefix, `Subnet ${box.subnet_prefix}, ${waysText(box)}`, -1, null);
    item.selection = { kind: "subnet", prefix: box.subnet_prefix };
    return item;
  }

  item(key, text, node, children) {
    const item = element("li", { role: "treeitem", tabindex: "-1", "aria-expanded": children ? "false" : null, "data-key": key, "aria-label": text }, element("span", {}, text));
    item.node = node;
    item.makeChildren = children;
    return item;
  }

  expand(item) {
    if (item.getAttribute("aria-expanded") !== "false") return;
    item.append(element("ul", { role: "group" }, item.makeChildren()));
    item.setAttribute("aria-expanded", "true");
  }
  collapse(item) {
    item.querySelector(":scope > ul")?.remove();
    item.setAttribute("aria-expanded", "false");
  }
  toggle(item) {
    if (item.getAttribute("aria-expanded") === "false") this.expand(item);
    else if (item.getAttribute("aria-expanded") === "true") this.collapse(item);
  }

  setCurrent(item, focus = true) {
    if (!item) return;
    for (const other of this.tree.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    item.tabIndex = 0;
    if (focus) item.focus();
  }

  choose(item) {
    if (item.selection) this.select(item.selection);
    else if (item.node >= 0) this.select({ kind: "node", node: item.node });
    else this.toggle(item);
  }

  onClick(event) {
    const item = event.target.closest('[role="treeitem"]');
    if (!item) return;
    this.setCurrent(item);
    if (item.node >= 0 && item.getAttribute("aria-expanded") === "false") this.expand(item);
    this.choose(item);
  }

  onKey(event) {
    const item = event.target.closest('[role="treeitem"]');
    if (!item) return;
    const shown = [...this.tree.querySelectorAll('[role="treeitem"]')];
    const at = shown.indexOf(item);
    const isOpen = item.getAttribute("aria-expanded") === "true";
    if (event.key === "ArrowDown") this.setCurrent(shown[at + 1]);
    else if (event.key === "ArrowUp") this.setCurrent(shown[at - 1]);
    else if (event.key === "Home") this.setCurrent(shown[0]);
    else if (event.key === "End") this.setCurrent(shown.at(-1));
    else if (event.key === "ArrowRight" && isOpen) this.setCurrent(shown[at + 1]);
    else if (event.key === "ArrowRight") this.expand(item);
    else if (event.key === "ArrowLeft" && isOpen) this.collapse(item);
    else if (event.key === "ArrowLeft") this.setCurrent(item.parentElement.closest('[role="treeitem"]'));
    else if (event.key === "Enter" || event.key === " ") this.choose(item);
    else return;
    event.preventDefault();
  }
}
