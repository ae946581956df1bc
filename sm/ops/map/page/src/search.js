// Search by name, GUID (of a node or port), GID or LID, with a port if one follows: "leaf-3 17", "leaf-3:17", "0x...:17".

import { element } from "./dom.js";

const RESULTS_MOST = 12;
const GUESS = 5; // the worst rank
const LINK_LOCAL = "0xfe80000000000000"; // a prefix that each subnet has

/** {prefix, guid} of a GID in the notation of IPv6 addresses, such as "fe80::2:c903:a1:b2c1"; null if the text is not a GID. */
export function readGid(text) {
  const halves = text.trim().toLowerCase().split("::");
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const given = groups.flat();
  if (halves.length > 2 || given.some((group) => !/^[0-9a-f]{1,4}$/.test(group))) return null;
  if (halves.length === 2 ? given.length > 7 : given.length !== 8) return null;
  const all = [...groups[0], ...Array(8 - given.length).fill("0"), ...(groups[1] ?? [])].map((group) => group.padStart(4, "0"));
  return { prefix: `0x${all.slice(0, 4).join("")}`, guid: `0x${all.slice(4).join("")}` };
}

/** The node whose port has this GID: [{node, portGuid}], or nothing. */
function findGid(fabric, { prefix, guid }) {
  const isHere = prefix === LINK_LOCAL || prefix === fabric.prefix;
  const node = isHere ? fabric.indexOfPortGuid(guid) : undefined;
  return node === undefined ? [] : [{ node, port: null, portGuid: guid }];
}

/** What was lost and is called so: [{lost}]. */
function findLost(lost, query) {
  const isCalled = (name) => name !== undefined && (name.toLowerCase() === query || name.toLowerCase().split(" ")[0] === query);
  return lost.filter((one) => one.node_guid === query || isCalled(one.name) ||
    (one.kind === "link" && (isCalled(one.peer) || `${one.name}:${one.port}`.toLowerCase() === query))).map((one) => ({ lost: one }));
}

/**
 * [{node, port}] and [{lost}], best first; `isGuess`: its name is longer than what was typed, by further digits; `portGuid`: of the
 * port that was meant.
 */
export function find(fabric, text, lost = []) {
  const query = text.trim().toLowerCase();
  if (query === "") return [];
  const gid = readGid(query);
  if (gid) return findGid(fabric, gid);
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
    if (rank < Infinity) ranked.push({ node, port, portGuid: fabric.portGuids[node].find((one) => one === `0x${guid}`), isNamed: rank < 2, isGuess: rank === GUESS, rank: rank + (fabric.isSwitch(node) ? 0 : 0.5) });
  }
  return ranked.sort((a, b) => a.rank - b.rank || a.node - b.node).slice(0, RESULTS_MOST);
}

function rankOf(fabric, node, query, guid, lid) {
  if (lid !== null && fabric.lid[node] === lid) return 0;
  const name = fabric.name[node].toLowerCase();
  if (name === query || name.split(" ")[0] === query) return 1;
  if (guid !== null && [fabric.guid[node], ...fabric.portGuids[node]].some((one) => one.slice(2).includes(guid))) return 2;
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

/** "Lost for 5 min: H36, at S1-3 port 4". */
export function describeLost(one) {
  const end = (name, port) => `${name}${port ? ` port ${port}` : ""}`;
  const place = one.peer === undefined ? "" : `${one.kind === "link" ? " – " : ", at "}${end(one.peer, one.peer_port)}`;
  const time = one.for_s === undefined ? "" : ` for ${elapsed(one.for_s)}`;
  return `Lost${time}: ${end(one.name, one.port)}${place}`;
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
    if (options.length === 0) options.push(element("li", { role: "option", "aria-disabled": "true", class: "dim" }, "No node has this name, GUID, GID or LID"));
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
      // Without a choice the key submits the form that the input is in: the daemon knows more names, such as GIDs of vports.
      if (this.active < 0) return this.close();
      this.choose(this.active);
    } else if (event.key === "Escape") {
      this.close();
    } else return;
    event.preventDefault();
  }
}
