// Search by name, GUID or LID, with a port if one follows: "leaf-3 17", "leaf-3:17", "0x...:17".

import { element } from "./dom.js";

const RESULTS_MOST = 12;

/** [{node, port}], best first. */
export function find(fabric, text) {
  const query = text.trim().toLowerCase();
  if (query === "") return [];
  const whole = matches(fabric, query, null);
  if (whole.length > 0) return whole;
  const withPort = /^(.*?)(?:\s+port\s+|:|\s+|\/)(\d{1,3})$/.exec(query);
  return withPort ? matches(fabric, withPort[1].trim(), Number(withPort[2])) : [];
}

function matches(fabric, query, port) {
  const guid = query.startsWith("0x") ? query.slice(2) : /^[0-9a-f]{6,16}$/.test(query) ? query : null;
  const lid = /^(lid\s*)?\d{1,5}$/.test(query) ? Number(query.replace(/\D/g, "")) : null;
  const ranked = [];
  for (let node = 0; node < fabric.nodeCount; node++) {
    const rank = rankOf(fabric, node, query, guid, lid);
    if (rank < Infinity) ranked.push({ node, port, rank: rank + (fabric.isSwitch(node) ? 0 : 0.5) });
  }
  return ranked.sort((a, b) => a.rank - b.rank || a.node - b.node).slice(0, RESULTS_MOST);
}

function rankOf(fabric, node, query, guid, lid) {
  if (lid !== null && fabric.lid[node] === lid) return 0;
  const name = fabric.name[node].toLowerCase();
  if (name === query) return 1;
  if (guid !== null && fabric.guid[node].slice(2).includes(guid)) return 2;
  if (name.startsWith(query)) return 3;
  return name.includes(query) ? 4 : Infinity;
}

export function describe(fabric, { node, port }) {
  const lid = fabric.lid[node] ? `, LID ${fabric.lid[node]}` : "";
  return `${fabric.typeName(node)} ${fabric.name[node]}${port ? ` port ${port}` : ""}${lid}`;
}

/**
 * An input with a list of what is found (the ARIA combobox pattern). `fabric()` may be null;
 * onChoose(result) gets what was chosen.
 */
export class SearchBox {
  constructor({ id, label, placeholder, fabric, onChoose }) {
    Object.assign(this, { id, fabric, onChoose, results: [], active: -1 });
    this.list = element("ul", { id: `${id}-list`, role: "listbox", "aria-label": `${label}: found`, hidden: true });
    this.input = element("input", {
      id, type: "text", role: "combobox", placeholder, autocomplete: "off", spellcheck: "false",
      "aria-expanded": "false", "aria-controls": `${id}-list`, "aria-autocomplete": "list",
      oninput: () => this.update(),
      onkeydown: (event) => this.onKey(event),
      // Later, so that a press on the list counts; not if the focus is back by then.
      onblur: () => setTimeout(() => document.activeElement !== this.input && this.close(), 150),
    });
    this.root = element("div", { class: "search" }, element("label", { for: id }, label), this.input, this.list);
  }

  get value() {
    return this.input.value;
  }
  set value(text) {
    this.input.value = text;
    this.close();
  }

  update() {
    const fabric = this.fabric();
    this.results = fabric ? find(fabric, this.input.value) : [];
    this.active = this.results.length > 0 ? 0 : -1;
    this.show();
  }

  show() {
    const fabric = this.fabric();
    const isOpen = this.input.value.trim() !== "";
    const options = this.results.map((result, i) =>
      element("li", {
        id: `${this.id}-${i}`, role: "option", "aria-selected": i === this.active ? "true" : "false",
        onpointerdown: (event) => {
          event.preventDefault();
          this.choose(i);
        },
      }, describe(fabric, result), element("span", { class: "dim" }, ` ${fabric.guid[result.node]}`)),
    );
    if (options.length === 0) options.push(element("li", { role: "option", "aria-disabled": "true", class: "dim" }, "No node has this name, GUID or LID"));
    this.list.replaceChildren(...options);
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
    if (isOpen && this.active >= 0) this.input.setAttribute("aria-activedescendant", `${this.id}-${this.active}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  choose(i) {
    const result = this.results[i];
    if (!result) return;
    this.close();
    this.onChoose(result);
  }

  onKey(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const count = this.results.length;
      if (count > 0) this.active = (this.active + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
      this.show();
    } else if (event.key === "Enter") {
      if (this.list.hidden) this.update();
      this.choose(this.active);
    } else if (event.key === "Escape") {
      this.close();
    } else return;
    event.preventDefault();
  }
}
