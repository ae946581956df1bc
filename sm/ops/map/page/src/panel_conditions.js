// Conditions that are raised now, worst first.

import { button, element } from "./dom.js";

const SHOWN_MOST = 300;

export function nodeOf(fabric, condition) {
  const guid = condition.guid ?? condition.node_guid;
  return guid ? (fabric.indexOfGuid.get(guid) ?? fabric.indexOfPortGuid?.(guid) ?? -1) : -1;
}

/** Those that no other condition has caused, each with those that it has. */
export function families(conditions) {
  const key = (subject) => `${subject.id} ${subject.guid ?? ""} ${subject.port ?? ""}`;
  const roots = conditions.filter((condition) => !condition.caused_by).map((root) => ({ root, caused: [] }));
  const ofKey = new Map(roots.map((family) => [key(family.root), family]));
  for (const condition of conditions)
    if (condition.caused_by) ofKey.get(key(condition.caused_by))?.caused.push(condition);
  return roots;
}

function describe(fabric, condition, select) {
  const node = fabric ? nodeOf(fabric, condition) : -1;
  const show = () => select(condition.port && fabric.linkAt(node, condition.port) >= 0 ? { kind: "port", node, port: condition.port } : { kind: "node", node });
  return [
    element("strong", {}, condition.id), " ", element("span", { class: "severity" }, condition.severity),
    condition.times > 1 ? element("span", { class: "dim" }, ` ${condition.times} times`) : null,
    element("div", {}, condition.text),
    node >= 0 ? button(`Show ${fabric.name[node]}${condition.port ? ` port ${condition.port}` : ""}`, show, { class: "link" }) : null];
}

/** `select(selection)`: shows it in the drawing. */
export function showConditions(root, fabric, conditions, select) {
  if (conditions.length === 0) {
    root.replaceChildren(element("p", { class: "dim" }, "No condition is raised."));
    return;
  }
  const all = families(conditions);
  const rows = all.slice(0, SHOWN_MOST).map((family) => element("li", { class: family.root.severity }, ...describe(fabric, family.root, select),
    family.caused.length > 0 ? element("details", {}, element("summary", {}, `${family.caused.length} that it has caused`),
      element("ul", {}, family.caused.slice(0, SHOWN_MOST).map((condition) => element("li", {}, condition.text)))) : null));
  const more = all.length - rows.length;
  root.replaceChildren(element("ul", { class: "conditions", "aria-label": "Conditions" }, rows),
    ...(more > 0 ? [element("p", { class: "dim" }, `and ${more} more: heddlectl conditions`)] : []));
}
