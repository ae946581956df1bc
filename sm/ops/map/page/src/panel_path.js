// The path from A to B by the forwarding tables, and back.

import { get } from "./api.js";
import { button, element, errorText, table } from "./dom.js";
import { SearchBox } from "./search.js";

export class PathPanel {
  /** onPaths(paths or null, isAsked): what MapView.setPaths() takes, and whether a person has asked for it just now. */
  constructor(root, fabric, onPaths) {
    Object.assign(this, { root, fabric, onPaths, asked: 0, isAsked: false });
    const box = (id, label) => new SearchBox({ id, label, placeholder: "name, GUID, GID or LID", fabric, onChoose: (result) => this.set(id, result.node, result.portGuid) });
    this.boxes = { "path-from": box("path-from", "From"), "path-to": box("path-to", "To") };
    this.result = element("div", { "aria-live": "polite" });
    root.replaceChildren(
      element("form", { onsubmit: (event) => { event.preventDefault(); this.trace(); } },
        this.boxes["path-from"].root, this.boxes["path-to"].root,
        element("div", { class: "actions" },
          element("button", { type: "submit" }, "Trace"),
          button("Swap", () => this.swap()),
          button("Clear", () => this.clear()))),
      this.result,
    );
  }

  /** `portGuid`: the port that was meant, of a node that has several. */
  set(id, node, portGuid) {
    this.boxes[id].value = this.fabric().name[node];
    this.boxes[id].reference = portGuid ?? this.fabric().guid[node];
    if (this.boxes["path-from"].value && this.boxes["path-to"].value) this.trace();
  }
  from(node) {
    this.set("path-from", node);
  }
  to(node) {
    this.set("path-to", node);
  }
  swap() {
    const { "path-from": from, "path-to": to } = this.boxes;
    [from.value, to.value] = [to.value, from.value];
    [from.reference, to.reference] = [to.reference, from.reference];
    this.trace();
  }
  clear() {
    this.asked++;
    for (const box of Object.values(this.boxes)) box.value = box.reference = "";
    this.result.replaceChildren();
    this.onPaths(null);
  }
  /** After a change of the fabric. */
  refresh() {
    if (this.result.childElementCount > 0 && this.boxes["path-from"].value && this.boxes["path-to"].value) this.trace(false);
  }

  /** A node chosen from the list by its GUID or that of its port: names need not be unique. Anything else as it is. */
  reference(box) {
    const fabric = this.fabric();
    const node = box.reference ? (fabric.indexOfGuid.get(box.reference) ?? fabric.indexOfPortGuid(box.reference)) : undefined;
    return node !== undefined && fabric.name[node] === box.value ? box.reference : box.value.trim();
  }

  async trace(isAsked = true) {
    const [from, to] = [this.reference(this.boxes["path-from"]), this.reference(this.boxes["path-to"])];
    if (!from || !to) {
      this.result.replaceChildren(element("p", { class: "error", role: "alert" }, "A path has two ends: fill in both."));
      return;
    }
    const asked = ++this.asked;
    this.isAsked ||= isAsked; // a refresh may overtake the answer that a person waits for
    try {
      const path = await get("/v1/routing/path", { from, to });
      if (asked === this.asked) this.show(path);
    } catch (error) {
      if (asked !== this.asked) return;
      this.result.replaceChildren(errorText(error));
      this.onPaths(null);
    }
  }

  show(path) {
    const { isAsked } = this;
    this.isAsked = false;
    this.onPaths({
      forward: this.linksOf(path.forward),
      reverse: this.linksOf(path.reverse),
      from: this.fabric().indexOfGuid.get(path.from.node_guid) ?? -1,
      to: this.fabric().indexOfGuid.get(path.to.node_guid) ?? -1,
    }, isAsked);
    this.result.replaceChildren(
      direction(path.forward, path.from, path.to, "forward"),
      direction(path.reverse, path.to, path.from, "reverse"),
    );
  }

  /** The links that a direction uses: [{link, from, vl}]; where switches choose, all of them with their share of the packets. */
  linksOf({ hops, adaptive_hops: adaptive }) {
    const fabric = this.fabric();
    if (adaptive) {
      return adaptive.flatMap((hop) => {
        const node = fabric.indexOfGuid.get(hop.node_guid);
        return hop.out_ports.flatMap(({ port, vl, share }) => {
          const link = node === undefined ? -1 : fabric.linkAt(node, port);
          return link < 0 ? [] : [{ link, from: node, vl, share }];
        });
      });
    }
    return hops.flatMap((hop) => {
      const node = fabric.indexOfGuid.get(hop.node_guid);
      const link = node === undefined || hop.out_port === null ? -1 : fabric.linkAt(node, hop.out_port);
      return link < 0 ? [] : [{ link, from: node, vl: hop.vl }];
    });
  }
}

const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

/** Nodes of all paths, a row for each port by which packets leave. */
function adaptiveTable(hops, caption) {
  const rows = hops.flatMap((hop) => {
    const ins = hop.in_ports.join(", ") || "–";
    if (hop.out_ports.length === 0) return [[hop.description, ins, "–", percent(hop.share), "–"]];
    return hop.out_ports.map((out, i) => [i === 0 ? hop.description : "", i === 0 ? ins : "", out.static && hop.group !== null ? `${out.port}, static` : out.port, percent(out.share), out.vl ?? "as set"]);
  });
  return table(caption, ["Node", "In", "Out", "Packets", "VL"], rows);
}

function direction(way, from, to, kind) {
  const caption = `Hops, ${kind === "forward" ? "there" : "back"}`;
  if (way.adaptive_hops) {
    const arrives = way.adaptive_detail ? ` Not all packets arrive: ${way.adaptive_detail}.` : "";
    return element("section", { class: kind },
      element("h3", {}, `${from.description} to ${to.description}`),
      element("p", {}, `DLID ${way.dlid}, SL ${way.sl}, adaptive: switches choose among the ports of a group, each with the same share.${arrives}`),
      adaptiveTable(way.adaptive_hops, caption));
  }
  const arrives = way.arrives ? "" : ` Does not arrive: ${way.detail ?? "no reason is given"}.`;
  const links = Math.max(0, way.hops.length - 1);
  const rows = way.hops.map((hop) => [hop.description, hop.in_port ?? "–", hop.out_port ?? "–", hop.vl ?? (hop.out_port === null ? "–" : "as set")]);
  const isLeftAsSet = way.hops.some((hop) => hop.out_port !== null && hop.vl === null);
  return element("section", { class: kind },
    element("h3", {}, `${from.description} to ${to.description}`),
    element("p", {}, `DLID ${way.dlid}, SL ${way.sl ?? "–"}, ${links} ${links === 1 ? "link" : "links"}.${arrives}`),
    table(caption, ["Node", "In", "Out", "VL"], rows),
    isLeftAsSet ? element("p", { class: "dim" }, "VL as set: this manager leaves the mapping of SL to VL of the port as it is.") : null);
}
