// Conditions that are raised now, worst first.

import { button, element, since } from "./dom.js";
import { selectionOfLost } from "./lost.js";

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

/** The row of /v1/lost that a condition names: a node, or a link by one of its ends. */
function lostOf(lost, { guid, port }) {
  return lost.find((one) => (one.kind === "node" ? one.node_guid === guid : port !== undefined &&
    ((one.node_guid === guid && one.port === port) || (one.peer_guid === guid && one.peer_port === port))));
}

/** What a condition says, since when, and what to do. */
export function conditionElements(condition) {
  return [
    element("strong", {}, condition.id), " ", element("span", { class: "severity" }, condition.severity),
    condition.since ? element("span", { class: "dim" }, " ", since(condition.since)) : null,
    condition.times > 1 ? element("span", { class: "dim" }, `, ${condition.times} times`) : null,
    element("div", {}, condition.text),
    condition.remedy ? element("div", { class: "remedy" }, `What to do: ${condition.remedy}`) : null];
}

/** The button that shows in the drawing what a condition names; null if it names nothing that is there or was lost. */
function showButton(fabric, lost, condition, select) {
  if (!fabric) return null;
  const gone = condition.guid ? lostOf(lost, condition) : undefined;
  const node = nodeOf(fabric, condition);
  if (!gone && node < 0) return null;
  const isPort = condition.port && fabric.linkAt(node, condition.port) >= 0;
  const selection = gone ? selectionOfLost(gone) : isPort ? { kind: "port", node, port: condition.port } : { kind: "node", node };
  const name = gone && node < 0 ? gone.name : fabric.name[node];
  return button(`Show ${name}${condition.port ? ` port ${condition.port}` : ""}`, () => select(selection), { class: "link" });
}

/** `lost`: rows of /v1/lost. `select(selection)`: shows it in the drawing. */
export function showConditions(root, fabric, { conditions, lost }, select) {
  if (conditions.length === 0) {
    root.replaceChildren(element("p", { class: "dim" }, "No condition is raised."));
    return;
  }
  const all = families(conditions);
  const rows = all.slice(0, SHOWN_MOST).map((family) => element("li", { class: family.root.severity }, ...conditionElements(family.root), showButton(fabric, lost, family.root, select),
    family.caused.length > 0 ? element("details", {}, element("summary", {}, `${family.caused.length} that it has caused`),
      element("ul", {}, family.caused.slice(0, SHOWN_MOST).map((condition) => element("li", {}, condition.text)))) : null));
  const more = all.length - rows.length;
  root.replaceChildren(element("ul", { class: "conditions", "aria-label": "Conditions" }, rows),
    ...(more > 0 ? [element("p", { class: "dim" }, `and ${more} more: heddlectl conditions`)] : []));
}
