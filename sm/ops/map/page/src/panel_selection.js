// What is selected: a node with its ports, a link with both ends, or what was lost.

import { ApiError, get } from "./api.js";
import { stateName } from "./fabric.js";
import { button, element, errorText, facts, number, since, table } from "./dom.js";
import { findLostRow, selectionOfLost } from "./lost.js";
import { conditionElements } from "./panel_conditions.js";
import { subnetElements } from "./panel_subnet.js";

const BEHIND_NAMED = 6;

export class SelectionPanel {
  /** `actions`: subnets() and lost() (rows of /v1/subnets and /v1/lost), select(selection), zoomTo(selection), pathFrom(node), pathTo(node), takeAway(reference, name). */
  constructor(root, actions) {
    Object.assign(this, { root, actions, shown: 0 });
  }

  show(fabric, selection, conditions) {
    this.shown++; // answers for what was selected before are not shown
    if (!fabric || !selection) {
      this.root.replaceChildren(element("p", { class: "dim" }, "Nothing is selected. Click a switch, host or link, search, or use the arrow keys in the drawing."));
    } else if (selection.kind === "link") this.showLink(fabric, selection.link);
    else if (selection.kind === "subnet") this.showSubnet(fabric, selection.prefix);
    else if (selection.kind === "lost") this.showLost(fabric, selection, conditions);
    else this.showNode(fabric, selection.node, selection.kind === "port" ? selection.port : null, conditions);
  }

  showSubnet(fabric, prefix) {
    const subnet = this.actions.subnets().find((one) => one.subnet_prefix === prefix);
    if (subnet) this.root.replaceChildren(...subnetElements(fabric, subnet, this.actions));
    else this.root.replaceChildren(element("p", { class: "dim" }, `Subnet ${prefix} is no longer known.`));
  }

  showLost(fabric, selection, conditions) {
    const lost = this.actions.lost();
    const one = findLostRow(lost, selection);
    const isLink = one.kind === "link";
    const own = conditions.filter(({ guid, port }) => (guid === one.node_guid && port === one.port) || (isLink && guid === one.peer_guid && port === one.peer_port));
    const behind = lost.filter(({ caused_by: cause }) => !isLink && cause === one.node_guid);
    const cause = lost.find(({ kind, node_guid: guid }) => kind === "node" && guid === one.caused_by);
    this.root.replaceChildren(
      element("h3", {}, `Lost ${isLink ? "link of" : one.is_switch ? "switch" : "node"} ${one.name}${isLink ? ` port ${one.port}` : ""}`),
      facts([
        ["State", element("span", { class: "error" }, "lost ", since(one.since))],
        ["NodeGUID", element("code", {}, one.node_guid)],
        [isLink ? "Other end" : "Was at", one.peer ? this.lostPeer(fabric, lost, one) : null],
        ["Lost with", cause ? button(cause.name, () => this.actions.select(selectionOfLost(cause), true), { class: "link" }) : null],
        ["Lost behind it", behind.length > 0 ? namesOf(behind) : null],
        ["Conditions", conditionList(own)],
      ]),
      element("div", { class: "actions" }, button("Zoom to it", () => this.actions.zoomTo(selection))),
    );
  }

  /** The other end of what was lost, which may be lost itself. */
  lostPeer(fabric, lost, one) {
    const text = `${one.peer}${one.peer_port ? ` port ${one.peer_port}` : ""}`;
    const node = fabric.indexOfGuid.get(one.peer_guid);
    const gone = lost.find(({ kind, node_guid: guid }) => kind === "node" && guid === one.peer_guid);
    const selection = node !== undefined ? { kind: "node", node } : gone ? selectionOfLost(gone) : null;
    return selection ? button(text, () => this.actions.select(selection, true), { class: "link" }) : text;
  }

  showLink(fabric, link) {
    const { a, a_port, b, b_port, port_state, load_ab, load_ba } = fabric.links;
    const end = (node, port) =>
      button(`${fabric.name[node]} port ${port}`, () => this.actions.select({ kind: "port", node, port }, true), { class: "link" });
    this.root.replaceChildren(
      element("h3", {}, "Link"),
      facts([
        ["End", end(a[link], a_port[link])],
        ["Other end", end(b[link], b_port[link])],
        ["State", stateName(port_state[link])],
        ["Runs", fabric.rateText(link)],
        ["Degraded", fabric.links.degraded[link] ? "slower or narrower than both ends support" : null],
        ["Beside it", this.parallelLinks(fabric, link)],
        ["Load", load_ab && load_ab[link] >= 0 ? `${number(load_ab[link])} pairs →, ${number(load_ba[link])} ←` : null],
      ]),
      element("div", { class: "actions" },
        button("Zoom to it", () => this.actions.zoomTo({ kind: "link", link })),
        button("What if it is taken away", () => this.actions.takeAway(fabric.linkReference(link), fabric.linkName(link)))),
    );
  }

  /** Other links between the same two nodes, which are one line from afar; null: there are none. */
  parallelLinks(fabric, link) {
    const { a, b } = fabric.links;
    const others = fabric.linksOf(a[link]).filter((other) => other !== link && fabric.peer(other, a[link]) === b[link]);
    if (others.length === 0) return null;
    const buttons = others.map((other) => {
      const port = fabric.portAt(other, a[link]);
      return button(String(port), () => this.actions.select({ kind: "link", link: other }), { class: "link chip", "aria-label": `Parallel link at port ${port}` });
    });
    return [element("span", {}, `${others.length} parallel, at port `), ...buttons];
  }

  showNode(fabric, node, port, conditions) {
    const extra = element("div", {}, element("p", { class: "dim" }, "Reading …"));
    const leaf = fabric.isFolded(node) ? fabric.leaf[node] : -1;
    const own = conditions.filter((condition) => condition.guid === fabric.guid[node]);
    this.root.replaceChildren(
      element("h3", {}, `${fabric.typeName(node)} ${fabric.name[node]}`),
      facts([
        ["NodeGUID", element("code", {}, fabric.guid[node])],
        ["LID", fabric.lid[node] || "none"],
        ["Attached to", leaf < 0 ? null : button(fabric.name[leaf], () => this.actions.select({ kind: "node", node: leaf }, true), { class: "link" })],
        ["Hosts", fabric.isSwitch(node) ? number(fabric.hostsOf(node).length) : null],
        ["Conditions", conditionList(own)],
      ]),
      element("div", { class: "actions" },
        button("Zoom to it", () => this.actions.zoomTo({ kind: port ? "port" : "node", node, port })),
        button("Path from here", () => this.actions.pathFrom(node)),
        button("Path to here", () => this.actions.pathTo(node)),
        button("What if it is taken away", () => this.actions.takeAway(fabric.guid[node], fabric.name[node]))),
      this.portTable(fabric, node, port),
      extra,
    );
    this.readMore(fabric.guid[node], extra);
  }

  portTable(fabric, node, selected) {
    const links = fabric.linksOf(node).sort((x, y) => fabric.portAt(x, node) - fabric.portAt(y, node));
    const rows = links.map((link) => {
      const port = fabric.portAt(link, node);
      const peer = fabric.peer(link, node);
      const isA = fabric.links.a[link] === node;
      const { load_ab, load_ba } = fabric.links;
      const load = load_ab ? number((isA ? load_ab : load_ba)[link]) : "–";
      const of = button(String(port), () => this.actions.select({ kind: "port", node, port }, true), {
        class: "link", "aria-label": `Port ${port}`, "aria-current": port === selected ? "true" : null,
      });
      const far = button(`${fabric.name[peer]} ${fabric.portAt(link, peer)}`, () => this.actions.select({ kind: "node", node: peer }, true), {
        class: "link", "aria-label": `${fabric.name[peer]} port ${fabric.portAt(link, peer)}`,
      });
      const rate = fabric.topology.rates[fabric.links.rate[link]];
      const state = fabric.links.degraded[link] ? "degraded" : stateName(fabric.links.port_state[link]);
      return [of, state, rate ? `${rate.link_width_active} ${rate.link_speed_active}` : "–", load, far];
    });
    return table("Ports with a link", ["Port", "State", "Runs", "Load out", "To"], rows);
  }

  /** What the topology does not have. */
  async readMore(guid, into) {
    const shown = this.shown;
    try {
      const answer = await get(`/v1/nodes/${guid}`);
      const node = answer.node ?? answer;
      if (shown !== this.shown) return;
      into.replaceChildren(facts([
        ["NodeDescription", node.node_description],
        ["SystemImageGUID", node.system_image_guid ? element("code", {}, node.system_image_guid) : null],
        ["VendorID", node.vendor_id],
        ["DeviceID", node.device_id],
        ["Ports", node.num_ports === undefined ? null : `${node.num_ports}, of which ${node.ports_up ?? "?"} are up`],
      ]));
    } catch (error) {
      if (shown !== this.shown) return;
      into.replaceChildren(error instanceof ApiError ? errorText(error) : element("p", { class: "error" }, String(error)));
    }
  }
}

function conditionList(conditions) {
  if (conditions.length === 0) return null;
  return element("ul", { class: "conditions" }, conditions.map((one) => element("li", { class: one.severity }, conditionElements(one))));
}

/** "18 nodes: H36, H37, H38 and 15 more" */
function namesOf(rows) {
  const named = rows.slice(0, BEHIND_NAMED).map(({ name }) => name).join(", ");
  const more = rows.length > BEHIND_NAMED ? ` and ${number(rows.length - BEHIND_NAMED)} more` : "";
  return `${number(rows.length)} ${rows.length === 1 ? "node" : "nodes"}: ${named}${more}`;
}
