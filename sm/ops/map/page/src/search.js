// Search by name, GUID or LID, with a port if one follows: "leaf-3 17", "leaf-3:17", "0x...:17".

import { element } from "./dom.js";

const RESULTS_MOST = 12;
const GUESS = 5; // the worst rank

/** What was lost and is called so: [{lost}]. */
function findLost(lost, query) {
  const isCalled = (name) => name !== undefined && (name.toLowerCase() === query || name.toLowerCase().split(" ")[0] === query);
  return lost.filter((one) => one.node_guid === query || isCalled(one.name) ||
    (one.kind === "link" && (isCalled(one.peer) || `${one.name}:${one.port}`.toLowerCase() === query))).map((one) => ({ lost: one }));
}

/** [{node, port}] and [{lost}], best first; `isGuess`: its name is longer than what was typed, by further digits. */
export function find(fabric, text, lost = []) {
  const query = text.trim().toLowerCase();
  if (query === "") return [];
  const whole = matches(fabric, query, null);
  const isExact = whole.some(({ isNamed }) => isNamed);
  const gone = findLost(lost, query);
  if (gone.length > 0 && !isExact) return [...gone, ...whole].slice(0, RESULTS_MOST);
  if (whole.length > 0) return whole;
  const withPort = /^(.*?)(?:\s+port\s+|:|\s+|\/)(\d{1,3})$/.exec(query);
  if (!withPort) return [];
  const name = withPort[1].trim();
  return [...findLost(lost, name), ...matches(fabric, name, Number(withPort[2]))].slice(0, RESULTS_MOST);
}

function matches(fabric, query, port) {
  const guid = query.startsWith("0x") ? query.slice(2) : /^[0-9a-f]{6,16}$/.test(query) ? query : null;
  const lid = /^(lid\s*)?\d{1,5}$/.test(query) ? Number(query.replace(/\D/g, "")) : null;
  const ranked = [];
  for (let node = 0; node < fabric.nodeCount; node++) {
    const rank = rankOf(fabric, node, query, guid, lid);
    if (rank < Infinity) ranked.push({ node, port, isNamed: rank < 2, isGuess: rank === GUESS, rank: rank + (fabric.isSwitch(node) ? 0 : 0.5) });
  }
  return ranked.sort((a, b) => a.rank - b.rank || a.node - b.node).slice(0, RESULTS_MOST);
}

function rankOf(fabric, node, query, guid, lid) {
  if (lid !== null && fabric.lid[node] === lid) return 0;
  const name = fabric.name[node].toLowerCase();
  if (name === query || name.split(" ")[0] === query) return 1;
  if (guid !== null && fabric.guid[node].slice(2).includes(guid)) return 2;
  // "S1-3" is no beginning of "S1-30": a number is whole, and another node is not chosen in place of one that is gone.
  const cutsNumber = (at) => /\d$/.test(query) && /^\d/.test(name.slice(at + query.length));
  if (name.startsWith(query)) return cutsNumber(0) ? GUESS : 3;
  const at = name.indexOf(query);
  return at < 0 ? Infinity : cutsNumber(at) ? GUESS : 4;
}

/** "3 h 5 min". */
export function elapsed(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

/** "Lost since 5 min: H36, at S1-3 port 4". */
export function describeLost(one) {
  const end = (name, port) => `${name}${port ? ` port ${port}` : ""}`;
  const place = one.peer === undefined ? "" : `${one.kind === "link" ? " – " : ", at "}${end(one.peer, one.peer_port)}`;
  return `Lost since ${elapsed(one.for_s)}: ${end(one.name, one.port)}${place}`;
}

export function describe(fabric, { node, port, lost }) {
  if (lost) return describeLost(lost);
  const lid = fabric.lid[node] ? `, LID ${fabric.lid[node]}` : "";
  return `${fabric.typeName(node)} ${fabric.name[node]}${port ? ` port ${port}` : ""}${lid}`;
}

/**
 * An input with a list of what is found (the ARIA combobox pattern). `fabric()` may be null;
 * onChoose(result) gets what was chosen.
 */
export class SearchBox {
  constructor({ id, label, placeholder, fabric, lost = () => [], onChoose }) {
    Object.assign(this, { id, fabric, lost, onChoose, results: [], active: -1 });
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
    this.results = fabric ? find(fabric, this.input.value, this.lost()) : [];
    this.active = this.results.length > 0 && !this.results[0].isGuess ? 0 : -1;
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
      }, describe(fabric, result), element("span", { class: "dim" }, ` ${result.lost ? result.lost.node_guid : fabric.guid[result.node]}`)),
    );
    if (this.results[0]?.isGuess) options.unshift(element("li", { role: "option", "aria-disabled": "true", class: "dim" }, "No node is called so; some names go on:"));
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
