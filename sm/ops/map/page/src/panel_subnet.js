// The panel of another subnet: the routers that lead there, and those that did.

import { button, element, facts, table } from "./dom.js";

/** `subnet`: a row of /v1/subnets. `select(selection, zoom)` as of SelectionPanel. */
export function subnetElements(fabric, subnet, actions) {
  const router = (one) => {
    const node = fabric.indexOfGuid.get(one.node_guid);
    const name = one.description ?? one.node_guid;
    return node === undefined ? name : button(name, () => actions.select({ kind: "node", node }, true), { class: "link" });
  };
  const weight = (one) => {
    if (!one.used) return "not used (policy)";
    return String(one.policy_weight ?? one.next_hop_weight ?? "–");
  };
  const rows = subnet.routers.map((one) => [router(one), one.lid, one.p_key, one.adjacent ? "directly" : "by others", weight(one)]);
  const isLink = /^https?:\/\//.test(subnet.url ?? "");
  return [
    element("h3", {}, `Subnet ${subnet.subnet_prefix}`),
    facts([
      ["State", element("span", { class: subnet.state === "unreachable" ? "error" : null }, subnet.state)],
      ["Manager", isLink ? element("a", { href: `${subnet.url.replace(/\/$/, "")}/map`, rel: "noreferrer" }, `Map of subnet ${subnet.subnet_prefix}`) : "not known here (subnet_peers)"],
      ["Lost", subnet.lost.length > 0 ? subnet.lost.map((one) => element("div", { class: "error" }, router(one))) : null],
    ]),
    element("div", { class: "actions" }, button("Zoom to it", () => actions.zoomTo({ kind: "subnet", prefix: subnet.subnet_prefix }))),
    rows.length > 0 ? table("Routers that lead there", ["Router", "LID", "P_Key", "Leads there", "Weight"], rows) : element("p", { class: "error" }, "No router leads there."),
  ];
}
