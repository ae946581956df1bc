// The page: reads the fabric, keeps it up to date, and connects the drawing with the panels.

import { ApiError, Cached, EventStream, get, list } from "./api.js";
import { colour, theme } from "./colours.js";
import { element } from "./dom.js";
import { Fabric } from "./fabric.js";
import { layOut } from "./layout.js";
import { families, nodeOf, showConditions } from "./panel_conditions.js";
import { findLostRow, lostText, selectionOfLost, withLost } from "./lost.js";
import { Outline } from "./panel_outline.js";
import { PathPanel } from "./panel_path.js";
import { PlanPanel } from "./panel_plan.js";
import { SelectionPanel } from "./panel_selection.js";
import { Scene } from "./scene.js";
import { describe, describeLost, find, SearchBox } from "./search.js";
import { carryOver } from "./selection.js";
import { placeSubnets, subnetsDrawn, waysText } from "./subnets.js";
import { Timeline } from "./timeline.js";
import { MapView } from "./view.js";

const EARLIER_MOST = 4; // fabrics of which nodes are missing by now: where these were
const REFRESH_MIN_MS = 1000; // snapshots may follow each other faster than anybody reads them
const RETRY_MS = 3000;
const COUNTERS_MS = 10000; // how often counters are read while they are shown
const COUNTER_MODES = new Set(["traffic", "errors"]);
const CONDITION_KINDS = new Set(["condition_raised", "condition_cleared", "gap"]);
const SNAPSHOT_KINDS = new Set(["snapshot", "gap"]);
const STATUS_KINDS = new Set(["state_changed", "master_changed", "gap"]);

performance.mark("heddle-map-start");
const $ = (id) => document.getElementById(id);
const parameters = new URLSearchParams(location.search);
const phone = matchMedia("(max-width: 600px)"); // as app.css has it
const SHEET_SHARE = 0.5; // of the screen, as app.css has it

const state = { fabric: null, scene: null, conditions: [], lost: [], isLostRead: false, isNamedShown: false, subnets: [], counters: null, plan: null, mode: "state", selection: null, manager: null, noticeStays: false, earlier: [], laidOut: "" };

const topology = new Cached("/v1/topology");

// ---- theme

function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  return chosen || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function setTheme(name) {
  if (name) document.documentElement.dataset.theme = name;
  $("theme").setAttribute("aria-pressed", String(currentTheme() === "dark"));
  view.setPalette(theme(currentTheme()));
  if (state.scene) recolour();
}

function remembered(key) {
  try {
    return localStorage.getItem(`heddle-map-${key}`);
  } catch {
    return null; // storage is forbidden: nothing is remembered
  }
}
function remember(key, value) {
  try {
    localStorage.setItem(`heddle-map-${key}`, value);
  } catch {
    // as above
  }
}

// ---- selection

function select(wanted, zoom = false) {
  // What is neither there nor lost is not selected any more.
  const selection = wanted?.kind === "lost" && !findLostRow(state.lost, wanted) ? null : wanted;
  state.selection = selection;
  view.select(selection);
  selectionPanel.show(state.fabric, selection, state.conditions);
  if (selection) {
    announce(selectionName(selection));
    if (zoom) view.zoomTo(selection);
  }
}

function selectionName(selection) {
  if (selection.kind === "link") return `Link ${state.fabric.linkName(selection.link)}`;
  if (selection.kind === "lost") return describeLost(findLostRow(state.lost, selection));
  if (selection.kind !== "subnet") return describe(state.fabric, selection);
  const subnet = state.subnets.find((one) => one.subnet_prefix === selection.prefix);
  return `Subnet ${selection.prefix}${subnet ? `, ${waysText(subnet)}` : ""}`;
}

/** Selected by whoever looks for it: shown whole, with its panel. */
function show(selection) {
  openTab("tab-selection", false); // first: on a telephone the panel covers a part of the drawing
  select(selection, true);
}

function announce(text) {
  $("announcer").textContent = text;
}

// ---- drawing

function colourData() {
  const { links } = state.fabric;
  const plan = state.plan?.snapshot === state.fabric.snapshot ? state.plan : null;
  const after = plan?.show === "after";
  const of = after ? plan.links : links;
  return {
    conditions: state.conditions,
    nodeOf: (condition) => nodeOf(state.fabric, condition),
    loads: of.load_ab ? { ab: of.load_ab, ba: of.load_ba } : null,
    usual: state.fabric.topology.load?.mean ?? 1,
    down: new Set(after ? (plan.links.down ?? []) : []),
    // Those of another snapshot have other links; the next ones are on their way.
    counters: state.counters?.snapshot === state.fabric.snapshot && state.counters.age_s !== null ? state.counters.links : null,
  };
}

function recolour() {
  const colouring = colour(state.mode, state.fabric, colourData(), theme(currentTheme()));
  view.recolour(colouring);
  showLegend(colouring);
}

function showLegend(colouring) {
  const count = (text) => element("span", { class: "dim" }, ` ${text}`);
  const rows = colouring.classes
    .filter((of) => of.isListed)
    .filter((of, i) => i === 0 || of.links + of.nodes > 0 || state.mode === "load" || COUNTER_MODES.has(state.mode))
    .filter((of) => of.label !== "taken away" || of.links > 0)
    .map((of) => {
      const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.backgroundColor = of.colour;
      swatch.style.height = `${Math.max(3, 2 * of.width)}px`;
      return element("li", {}, swatch, `${of.label}`, count(of.links.toLocaleString("en")));
    });
  const lost = lostText(state.lost);
  if (lost) rows.push(element("li", {}, element("span", { class: "swatch lost", "aria-hidden": "true" }), "lost", count(lost)));
  const unit = {
    load: "Pairs of hosts by the tables:", state: "Links:", conditions: "Links with conditions:",
    traffic: "Share of the rate, of the busier direction:", errors: "Errors of both ends:",
  };
  $("legend-unit").textContent = unit[state.mode] + (COUNTER_MODES.has(state.mode) ? ` ${countersAge()}` : "");
  $("legend").replaceChildren(...rows);
}

function countersAge() {
  if (!state.counters) return "";
  const { age_s: age } = state.counters;
  return age === null ? "the performance manager is off (perfmgr), or has not read them yet" : `read ${age} s ago`;
}

function setMode(mode) {
  state.mode = mode;
  if (COUNTER_MODES.has(mode)) countersRefresher.want();
  for (const input of document.querySelectorAll('input[name="mode"]')) input.checked = input.value === mode;
  if (state.fabric) recolour();
}

/** The size of a telephone's drawing, which a layout is to fit; undefined: of a desk. */
function smallScreen() {
  const { clientWidth: width, clientHeight: height } = $("overlay");
  return phone.matches && width > 0 ? { width: width - 24, height: height - 24 } : undefined;
}

/** Nodes that were there a moment ago count as lost until the daemon says so. */
function lostNow(before, fabric) {
  if (!before || before.topology.fabric_id !== fabric.topology.fabric_id) return state.lost;
  const listed = new Set(state.lost.map((one) => one.node_guid));
  const missing = before.guid.flatMap((guid, node) => (fabric.indexOfGuid.has(guid) || listed.has(guid) ? [] : [{ kind: "node", node_guid: guid, name: before.name[node], is_switch: before.isSwitch(node) }]));
  return [...state.lost, ...missing];
}

/** A layout with the places of what was lost: `lost` has its nodes by GUID, `lostLinks` the lines that led to them. */
function layOutWithLost(fabric, lost) {
  const whole = withLost(fabric.topology, lost, state.earlier);
  if (whole === fabric.topology) return layOut(fabric, smallScreen());
  const laid = new Fabric(whole);
  laid.presentCount = fabric.nodeCount;
  const layout = layOut(laid, smallScreen());
  const scene = new Scene(laid, layout);
  layout.lost = new Map();
  layout.lostLinks = new Map();
  for (let node = fabric.nodeCount; node < laid.nodeCount; node++) {
    layout.lost.set(laid.guid[node], node);
    layout.lostLinks.set(node, laid.linksOf(node).filter((link) => !scene.isHidden(link)).map((link) => scene.piecesOf(link)));
  }
  layout.parts = layout.parts.map(({ name, nodes }) => ({ name, nodes: laid.presentOf(nodes) })).filter(({ nodes }) => nodes.length > 0);
  return layout;
}

function showFabric(topology, refits = false) {
  const before = state.fabric;
  const fabric = new Fabric(topology);
  const isSame = !refits && before && before.topology.fabric_id === topology.fabric_id && sameNodes(before, fabric);
  if (before && before.topology !== topology && before.guid.some((guid) => !fabric.indexOfGuid.has(guid)))
    state.earlier = [before, ...state.earlier].slice(0, EARLIER_MOST);
  state.fabric = fabric;
  setLost(lostNow(before, fabric));
  state.laidOut = lostNodes(state.lost);
  const layout = layOutWithLost(fabric, state.lost);
  placeSubnets(layout, state.subnets);
  state.scene = new Scene(fabric, layout);
  performance.mark("heddle-map-scene");
  const colouring = colour(state.mode, fabric, colourData(), theme(currentTheme()));
  view.setScene(state.scene, colouring, isSame);
  showLegend(colouring);
  outline.show(fabric, layout);
  showTitle(layout);
  if (before) select(carryOver(state.selection, before, fabric));
  else selectionPanel.show(fabric, null, []);
  showConditionList();
  pathPanel.refresh();
  planPanel.refresh();
}

function setLost(lost) {
  state.lost = lost;
  view.setLost(lost);
}

/** Which nodes are lost, to compare. */
function lostNodes(lost) {
  return lost.filter((one) => one.kind === "node" && !state.fabric?.indexOfGuid.has(one.node_guid)).map((one) => one.node_guid).sort().join();
}

function sameNodes(before, after) {
  return before.nodeCount > 0 && Math.abs(before.nodeCount - after.nodeCount) <= before.nodeCount / 10;
}

function showTitle(layout) {
  const { topology } = state.fabric;
  const { hosts, switches, routers, links } = state.fabric.counts();
  const count = (n, one, more) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;
  const parts = [count(switches, "switch", "switches"), count(hosts, "host", "hosts"), routers ? count(routers, "router", "routers") : null, count(links, "link", "links")];
  const text = parts.filter(Boolean).join(", ");
  $("fabric").textContent = text;
  $("fabric").title = topology.what ?? "";
  showManager();
  $("fabric-id").textContent = topology.fabric_id ?? "";
  $("overlay").setAttribute("aria-label", `Map of the fabric: ${layout.title}; ${text}`);
  document.title = `${topology.fabric_id ?? "Fabric"} – Heddle`;
}

// ---- data

async function readTopology() {
  const answer = await topology.read();
  performance.mark("heddle-map-topology");
  if (!answer) return;
  if (answer.nodes.node_guid.length === 0) {
    setNotice("No sweep has ended yet: there is no fabric to draw. It appears as soon as there is one.");
    return;
  }
  if (!state.noticeStays) setNotice("");
  showFabric(answer);
  showNamed(parameters.get("node"));
  if (COUNTER_MODES.has(state.mode)) countersRefresher.want();
}

/** What the address of the page names: /map?node=leaf-3, as links of other programs have it. */
function showNamed(text) {
  if (!text || state.isNamedShown || !state.fabric) return;
  const [found] = find(state.fabric, text, state.lost);
  const isFound = found && !found.isGuess;
  if (!isFound && !state.isLostRead) return; // it may be one that was lost
  state.isNamedShown = true;
  if (isFound) show(selectionOfFound(found));
  else setNotice(`There is no node "${text}" in the fabric.`);
}

/** A port without a link: its node. */
function selectionOfFound({ node, port, lost }) {
  if (lost) return selectionOfLost(lost);
  return port && state.fabric.linkAt(node, port) >= 0 ? { kind: "port", node, port } : { kind: "node", node };
}

/** Of the latest poll; again and again as long as they are shown. */
async function readCounters() {
  clearTimeout(readCounters.timer);
  if (!COUNTER_MODES.has(state.mode)) return;
  readCounters.timer = setTimeout(() => countersRefresher.want(), COUNTERS_MS);
  state.counters = await get("/v1/topology/counters");
  if (state.fabric && COUNTER_MODES.has(state.mode)) recolour();
}

/** Whether this manager is the master: it may change without a new snapshot. */
async function readStatus() {
  const status = await get("/v1/subnet");
  state.manager = status.state;
  const stayed = state.noticeStays;
  state.noticeStays = status.state !== "Master";
  showManager();
  if (stayed && !state.noticeStays) setNotice("");
  if (!state.noticeStays) return;
  const master = status.master ? `; master is ${status.master.name || status.master.guid}` : "";
  setNotice(`This manager is ${status.state.toUpperCase()}${master}: the map shows what it reads of the fabric itself.`);
}

function showManager() {
  const engine = state.fabric?.topology.engine;
  $("manager").textContent = `${(state.manager ?? "").toUpperCase()}${engine ? `, ${engine}` : ""}`;
}

async function readSubnets() {
  const subnets = await list("/v1/subnets", "subnets");
  const isSame = subnetsDrawn(subnets) === subnetsDrawn(state.subnets);
  state.subnets = subnets;
  if (!isSame && state.fabric) showFabric(state.fabric.topology);
}

async function readConditions() {
  const [conditions, lost] = await Promise.all([list("/v1/conditions", "conditions"), list("/v1/lost", "lost")]);
  // What is selected may be there again: then it is not to be forgotten first.
  if (state.selection?.kind === "lost" && !findLostRow(lost, state.selection)) await readTopology();
  const dated = (rows) => rows.map((row) => ({ ...row, since: new Date(Date.now() - 1000 * row.for_s) }));
  state.conditions = dated(conditions);
  setLost(dated(lost));
  state.isLostRead = true;
  if (state.fabric && lostNodes(state.lost) !== state.laidOut) showFabric(state.fabric.topology);
  showConditionList();
  if (!state.fabric) return;
  if (state.mode === "conditions") recolour();
  else showLegend(view.colouring);
  showNamed(parameters.get("node"));
  const { selection, fabric } = state;
  if (selection?.kind === "lost" && !findLostRow(state.lost, selection)) select(carryOver(selection, fabric, fabric)); // a link may be back
  else if (selection?.kind === "lost" || selection?.node !== undefined) selectionPanel.show(fabric, selection, state.conditions);
}

function showConditionList() {
  const count = families(state.conditions).length;
  $("tab-conditions").textContent = count > 0 ? `Conditions (${count})` : "Conditions";
  showConditions($("panel-conditions"), state.fabric, state, show);
  if (!state.fabric) return;
  const marked = new Map();
  for (const condition of [...state.conditions].reverse()) {
    const node = nodeOf(state.fabric, condition);
    if (node >= 0 && condition.severity !== "info") marked.set(node, condition.severity); // the worst comes first, so last here
  }
  view.setMarkedNodes(marked);
}

/** Reads again after a change: at most once in REFRESH_MIN_MS, never twice at a time; tries on after errors. */
class Refresher {
  constructor(read) {
    Object.assign(this, { read, isWanted: false, isBusy: false, timer: 0 });
  }
  want() {
    this.isWanted = true;
    if (!this.isBusy && !this.timer) this.run();
  }
  async run() {
    this.timer = 0;
    this.isBusy = true;
    this.isWanted = false;
    let pause = REFRESH_MIN_MS;
    try {
      await this.read();
      this.hasFailed = false;
    } catch (error) {
      if (!(error instanceof ApiError)) console.error(error);
      this.hasFailed = true;
      this.isWanted = true;
      pause = Math.max(RETRY_MS, 1000 * (error.retryAfterS ?? 0));
      setNotice(error instanceof ApiError ? `${error.message} ${error.remedy}` : `The page cannot show this answer: ${error.message}`, "error");
    }
    this.isBusy = false;
    this.timer = setTimeout(() => {
      this.timer = 0;
      if (this.isWanted) this.run();
    }, pause);
  }
}

function setNotice(text, kind = "") {
  const notice = $("notice");
  if (notice.textContent !== text) notice.textContent = text;
  notice.className = kind;
  notice.hidden = text === "";
}

function setLive(live, error) {
  $("live").textContent = live === "live" ? "live" : "not connected";
  $("live").className = live;
  $("live").title = error ? error.message : "Events arrive as they happen";
  if (live === "live") {
    // What happened while there was no connection; another start of the daemon has other ETags.
    topologyRefresher.want();
    conditionsRefresher.want();
    subnetsRefresher.want();
    readRecentEvents();
    if (!topologyRefresher.hasFailed && state.fabric) setNotice("");
    statusRefresher.want();
  } else {
    const text = error.status ? `${error.message} ${error.remedy}` : `${error.message} The map shows the last state; it goes on by itself when the daemon is back.`;
    setNotice(text, "error");
  }
}

async function readRecentEvents() {
  try {
    timeline.add((await get("/v1/events", { since: 0 })).events);
  } catch {
    // The stream says what is wrong.
  }
}

function onEvent(event) {
  timeline.add([event]);
  if (SNAPSHOT_KINDS.has(event.kind)) topologyRefresher.want();
  if (SNAPSHOT_KINDS.has(event.kind) || CONDITION_KINDS.has(event.kind)) subnetsRefresher.want();
  if (CONDITION_KINDS.has(event.kind) || SNAPSHOT_KINDS.has(event.kind)) conditionsRefresher.want(); // figures change without an event
  if (STATUS_KINDS.has(event.kind)) statusRefresher.want();
}

function showEvent(event) {
  const node = state.fabric?.indexOfGuid.get(event.node_guid);
  const peer = state.fabric?.indexOfGuid.get(event.peer_node_guid);
  const lost = state.lost.find((one) => one.kind === "node" && one.node_guid === event.node_guid);
  if (node === undefined && lost) show(selectionOfLost(lost));
  else if (node === undefined && peer === undefined) {
    announce("The node of this event is not in the fabric now.");
    setNotice("The node of this event is not in the fabric now.");
  } else if (node === undefined) show({ kind: "node", node: peer });
  else if (event.port && state.fabric.linkAt(node, event.port) >= 0) show({ kind: "port", node, port: event.port });
  else show({ kind: "node", node });
}

// ---- tabs

function openTab(id, focus = true) {
  for (const tab of document.querySelectorAll('[role="tab"]')) {
    const isOpen = tab.id === id;
    tab.setAttribute("aria-selected", String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !isOpen;
    if (isOpen && focus) tab.focus();
  }
  openSheet("panel");
}

/** On a telephone panels are above the drawing, one at a time: "panel", "events" or "" (none). On a desk all have their places. */
function openSheet(name) {
  document.body.dataset.sheet = name;
  $("events-open").setAttribute("aria-expanded", String(name === "events"));
  view.covered = phone.matches && name !== "" ? Math.max(0, Math.round(innerHeight * SHEET_SHARE) - $("key").clientHeight) : 0;
}

function listenToTabs() {
  const tabs = [...document.querySelectorAll('[role="tab"]')];
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      const isOpen = tab.getAttribute("aria-selected") === "true" && document.body.dataset.sheet === "panel";
      if (phone.matches && isOpen) openSheet("");
      else openTab(tab.id);
    });
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      openTab(tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length].id);
      event.preventDefault();
    });
  }
}

// ---- start

const view = new MapView($("drawing"), $("overlay"), {
  onSelect: (selection) => {
    select(selection);
    if (!selection && phone.matches) openSheet("");
    if (selection && $("panel-selection").hidden && $("panel-plan").hidden) openTab("tab-selection", false);
  },
  renderer: parameters.get("renderer"),
});

const planPanel = new PlanPanel($("panel-plan"), () => state.fabric, (plan) => {
  state.plan = plan;
  if (plan) setMode("load");
  else if (state.fabric) recolour();
});
const pathPanel = new PathPanel($("panel-path"), () => state.fabric, (paths, isAsked) => {
  view.setPaths(paths);
  if (isAsked) view.fitPaths();
});
const selectionPanel = new SelectionPanel($("panel-selection"), {
  subnets: () => state.subnets,
  lost: () => state.lost,
  select,
  zoomTo: (selection) => view.zoomTo(selection),
  pathFrom: (node) => { openTab("tab-path"); pathPanel.from(node); },
  pathTo: (node) => { openTab("tab-path"); pathPanel.to(node); },
  takeAway: (reference, name) => { openTab("tab-plan"); planPanel.takeAway(reference, name); },
});
const outline = new Outline($("panel-outline"), (selection) => select(selection, true));
const timeline = new Timeline($("axis"), $("events"), showEvent);
const searchBox = new SearchBox({
  id: "search", label: "Search", placeholder: "name, GUID, GID or LID, and port", fabric: () => state.fabric, lost: () => state.lost,
  onChoose: (found) => show(selectionOfFound(found)),
});
$("search-place").append(searchBox.root);

const topologyRefresher = new Refresher(readTopology);
const conditionsRefresher = new Refresher(readConditions);
const subnetsRefresher = new Refresher(readSubnets);
const statusRefresher = new Refresher(readStatus);
const countersRefresher = new Refresher(readCounters);

listenToTabs();
$("events-open").addEventListener("click", () => openSheet(document.body.dataset.sheet === "events" ? "" : "events"));
$("sheet-close").addEventListener("click", () => openSheet(""));
openSheet("");
phone.addEventListener("change", () => {
  openSheet("");
  if (state.fabric) showFabric(state.fabric.topology, true);
});
for (const input of document.querySelectorAll('input[name="mode"]')) input.addEventListener("change", () => setMode(input.value));
$("zoom-in").addEventListener("click", () => view.zoom(1.4));
$("zoom-out").addEventListener("click", () => view.zoom(1 / 1.4));
$("fit").addEventListener("click", () => view.fit());
$("theme").addEventListener("click", () => {
  const name = currentTheme() === "dark" ? "light" : "dark";
  remember("theme", name);
  setTheme(name);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(null));
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
  searchBox.input.focus();
  event.preventDefault();
});
setTheme(remembered("theme"));
$("renderer").textContent = view.renderer.name;

view.onDrawn = () => {
  if (!state.fabric) return;
  performance.mark("heddle-map-first-drawing");
  view.onDrawn = null;
  // The font is looked for when it is first used: not while somebody moves the map.
  setTimeout(() => view.above.prepare());
};
topologyRefresher.want();
conditionsRefresher.want();
subnetsRefresher.want();
const stream = new EventStream("/v1/events", onEvent, setLive);
stream.start();
readRecentEvents(); // not only when the stream has something to say
window.addEventListener("online", () => stream.hurry());

// For measurements and tests.
window.heddleMap = { view, state };
