// What if: links and switches taken away, another engine. The daemon computes it and writes nothing.

import { post } from "./api.js";
import { button, element, errorText, number, table } from "./dom.js";

const HOSTS_NAMED = 5;
const BLOCKS_SHOWN = 20;

export class PlanPanel {
  /**
   * onPlan(null or {links: {load_ab, load_ba, down}, snapshot, show: "before" | "after"}): how the
   * map is coloured.
   */
  constructor(root, fabric, onPlan) {
    Object.assign(this, { root, fabric, onPlan, without: new Map(), asked: 0, plan: null });
    this.list = element("ul", { class: "chips", "aria-label": "Taken away" });
    this.engine = element("select", { id: "plan-engine" },
      element("option", { value: "" }, "as configured"), [...document.getElementById("engines").content.cloneNode(true).children]);
    this.rebalance = element("input", { type: "checkbox", id: "plan-rebalance" });
    this.submit = element("button", { type: "submit" }, "Compute");
    this.result = element("div", { "aria-live": "polite" });
    root.replaceChildren(
      element("p", { class: "dim" }, "Nothing is written. Select a link or a switch, and take it away."),
      element("form", { onsubmit: (event) => { event.preventDefault(); this.compute(); } },
        this.list,
        element("div", { class: "field" }, element("label", { for: "plan-engine" }, "Routing engine"), this.engine),
        element("div", { class: "field" }, this.rebalance, element("label", { for: "plan-rebalance" }, "Choose all routes again")),
        element("div", { class: "actions" }, this.submit, button("Clear", () => this.clear()))),
      this.result,
    );
    this.showList();
  }

  takeAway(reference, name) {
    this.without.set(reference, name);
    this.showList();
    this.compute();
  }

  clear() {
    this.asked++;
    this.without.clear();
    this.engine.value = "";
    this.rebalance.checked = false;
    this.setBusy(false);
    this.showList();
    this.result.replaceChildren();
    this.forget();
  }

  forget() {
    this.plan = null;
    this.onPlan(null);
  }

  /** After a change of the fabric. */
  refresh() {
    if (!this.plan || this.plan.snapshot === this.fabric().snapshot || this.isMarkedOld) return;
    this.isMarkedOld = true;
    this.result.prepend(element("p", { class: "error" }, "The fabric has changed since this was computed."));
  }

  showList() {
    const chips = [...this.without].map(([reference, name]) =>
      element("li", {}, name, button("×", () => {
        this.without.delete(reference);
        this.showList();
      }, { "aria-label": `Keep ${name}`, class: "chip" })),
    );
    this.list.replaceChildren(...(chips.length > 0 ? chips : [element("li", { class: "dim" }, "Nothing is taken away")]));
  }

  setBusy(isBusy) {
    this.submit.disabled = isBusy;
    this.submit.textContent = isBusy ? "Computing …" : "Compute";
  }

  async compute() {
    const asked = ++this.asked;
    this.setBusy(true);
    // The figures of another question would be read as the answer to this one.
    this.forget();
    this.result.replaceChildren(element("p", { class: "dim" }, "Computing …"));
    const body = { without: [...this.without.keys()], links: true };
    if (this.engine.value) body.routing_engine = [this.engine.value];
    if (this.rebalance.checked) body.rebalance = true;
    try {
      const plan = await post("/v1/plan", body);
      if (asked === this.asked) this.show(plan);
    } catch (error) {
      if (asked !== this.asked) return;
      this.result.replaceChildren(errorText(error));
      if (error.status === 429) {
        setTimeout(() => asked === this.asked && this.compute(), 1000 * Math.max(1, error.retryAfterS));
      }
    } finally {
      if (asked === this.asked) this.setBusy(false);
    }
  }

  show(plan) {
    this.plan = plan;
    this.isMarkedOld = false;
    const { before, after } = plan;
    // What reads the same is the same: of a mean, digits that are not shown may differ.
    const compared = (name, one, other) => [name, one, one === other ? other : element("strong", {}, other)];
    const row = (name, one, other) => compared(name, number(one), number(other));
    const rows = [
      compared("Routing engine", before.engine ?? "–", after.engine ?? plan.engine),
      row("Hosts attached", before.hosts, after.hosts),
      row("Hosts cut off", 0, plan.hosts_cut_off?.all ?? 0),
      row("Lost pairs", before.lost_pairs, after.lost_pairs),
      row("Credit loops", before.credit_loops, after.credit_loops),
      row("VLs", before.vls, after.vls),
      row("Load, worst", before.load?.worst, after.load?.worst),
      row("Load, p99", before.load?.p99, after.load?.p99),
      row("Load, mean", before.load?.mean, after.load?.mean),
      row("Channels unused", before.load?.unused, after.load?.unused),
      row("Hops, mean", before.hops?.mean, after.hops?.mean),
      row("Hops, most", before.hops?.longest, after.hops?.longest),
    ];
    const blocks = plan.forwarding_blocks;
    const parts = [
      ...(plan.refusals ?? []).map((text) => element("p", { class: "error" }, text)),
      table("Before and after", ["", "Before", "After"], rows),
      element("p", {}, `${number(plan.paths.changed)} pairs of hosts take another path${cutOff(plan)}. ` +
        `${number(plan.writes.all)} writes, ${number(blocks.all)} of them blocks of forwarding tables; ${number(plan.lids_changed)} LIDs change.`),
    ];
    if (plan.links) parts.push(this.chooseColours());
    if (blocks.switches.length > 0) {
      const shown = blocks.switches.slice(0, BLOCKS_SHOWN).map((one) => [one.description, number(one.blocks)]);
      const more = blocks.switches.length > BLOCKS_SHOWN ? `, the first ${BLOCKS_SHOWN}` : "";
      parts.push(table(`Changed blocks by switch${more}`, ["Switch", "Blocks"], shown));
    }
    if (plan.conditions?.length > 0) {
      parts.push(element("h3", {}, "Conditions afterwards"),
        element("ul", { class: "conditions" }, plan.conditions.map((one) => element("li", { class: one.severity }, `${one.id}: ${one.text}`))));
    }
    this.result.replaceChildren(...parts);
    this.colour("after");
    this.refresh();
  }

  chooseColours() {
    const choice = (value, text) => element("label", {},
      element("input", { type: "radio", name: "plan-show", value, checked: value === "after", onchange: () => this.colour(value) }), text);
    return element("fieldset", { class: "inline" }, element("legend", {}, "Load on the map"), choice("before", "before"), choice("after", "after"));
  }

  colour(show) {
    if (this.plan?.links) this.onPlan({ ...this.plan, show });
  }
}

/** The hosts that no path leads to any more, the first of them by name. */
function cutOff(plan) {
  const { all, hosts } = plan.hosts_cut_off ?? { all: 0, hosts: [] };
  if (all === 0) return "";
  const named = hosts.slice(0, HOSTS_NAMED).map((host) => host.description).join(", ");
  const more = all > HOSTS_NAMED ? `, and ${number(all - HOSTS_NAMED)} more` : "";
  return `, and ${number(all)} host${all === 1 ? "" : "s"} would be cut off (${named}${more})`;
}
