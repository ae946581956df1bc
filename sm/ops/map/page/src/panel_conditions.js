// Conditions that are raised now, worst first.

import { button, element } from "./dom.js";

const SHOWN_MOST = 300;

export function nodeOf(fabric, condition) {
  const guid = condition.guid ?? condition.node_guid;
  return guid ? (fabric.indexOfGuid.get(guid) ?? fabric.indexOfPortGuid?.(guid) ?? -1) : -1;
}

/** `select(selection)`: shows it in the drawing. */
export function showConditions(root, fabric, conditions, select) {
  if (conditions.length === 0) {
    root.replaceChildren(element("p", { class: "dim" }, "No condition is raised."));
    return;
  }
  const rows = conditions.slice(0, SHOWN_MOST).map((condition) => {
    const node = fabric ? nodeOf(fabric, condition) : -1;
    const show = () => select(condition.port && fabric.linkAt(node, condition.port) >= 0 ? { kind: "port", node, port: condition.port } : { kind: "node", node });
    return element("li", { class: condition.severity },
      element("strong", {}, condition.id), " ", element("span", { class: "severity" }, condition.severity),
      condition.times > 1 ? element("span", { class: "dim" }, ` ${condition.times} times`) : null,
      element("div", {}, condition.text),
      node >= 0 ? button(`Show ${fabric.name[node]}${condition.port ? ` port ${condition.port}` : ""}`, show, { class: "link" }) : null);
  });
  const more = conditions.length - rows.length;
  root.replaceChildren(element("ul", { class: "conditions", "aria-label": "Conditions" }, rows),
    ...(more > 0 ? [element("p", { class: "dim" }, `and ${more} more: heddlectl conditions`)] : []));
}
