// What colours mean: a mode puts every link and node into a class, and the legend lists the classes.

const THEMES = {
  light: {
    background: "#f6f7f8", text: "#1d252d", dim: "#68747f", frame: "#d9dee3", panel: "#ffffff",
    node: "#8b98a5", host: "#b4bec8", link: "#5d6b79", none: "#c9d0d6",
    good: "#8b98a5", pending: "#c98a00", down: "#cc3333", degraded: "#8e44c2",
    info: "#3b82c4", warning: "#c97a00", error: "#cc3333", critical: "#8f0f3f",
    forward: "#0b6bcb", reverse: "#c2410c", selected: "#0b1f33", removed: "#cc3333",
    load: ["#9dbbd8", "#8b98a5", "#d3a03c", "#d9702a", "#c22d2d"],
    errors: ["#d3a03c", "#d9702a", "#c22d2d", "#8f0f3f"],
  },
  dark: {
    background: "#12161a", text: "#e3e8ed", dim: "#93a0ac", frame: "#2a323a", panel: "#1a2026",
    node: "#66747f", host: "#44505b", link: "#8997a5", none: "#39434c",
    good: "#66747f", pending: "#e0aa2e", down: "#f26363", degraded: "#bb86e8",
    info: "#63a7e6", warning: "#eaa13a", error: "#f26363", critical: "#ff5c9a",
    forward: "#58aaff", reverse: "#ff9a57", selected: "#ffffff", removed: "#f26363",
    load: ["#35668f", "#66747f", "#c99a3c", "#e07b3a", "#f26363"],
    errors: ["#c99a3c", "#e07b3a", "#f26363", "#ff5c9a"],
  },
};

export const SEVERITIES = ["info", "warning", "error", "critical"];

export function theme(name) {
  return THEMES[name];
}

export function rgb(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A class of links and nodes. Emphasised ones are drawn above the others; the legend has those that are listed. */
function kind(label, colour, options = {}) {
  return { label, colour, host: options.host ?? colour, width: options.width ?? 1, emphasised: options.emphasised ?? false, isListed: true, links: 0, nodes: 0 };
}

/**
 * {classes, links: Uint8Array, nodes: Uint8Array}: an index into classes for each.
 * `data`: {conditions, nodeOf, loads: {ab, ba} or null, usual: mean load, down: Set of links,
 * counters: the columns of /v1/topology/counters or null}.
 */
export function colour(mode, fabric, data, palette) {
  const make = { state: byState, load: byLoad, traffic: byTraffic, errors: byErrors, conditions: byCondition }[mode] ?? byState;
  const result = make(fabric, data, palette);
  for (let link = 0; link < fabric.linkCount; link++) result.classes[result.links[link]].links++;
  for (let node = 0; node < fabric.nodeCount; node++) result.classes[result.nodes[node]].nodes++;
  return result;
}

/** Nodes get the highest class of their links. */
function nodesByLinks(fabric, links) {
  const nodes = new Uint8Array(fabric.nodeCount);
  const { a, b } = fabric.links;
  for (let link = 0; link < fabric.linkCount; link++) {
    // A host's link colours the host; what it says of the switch is seen there.
    if (!fabric.isFolded(b[link])) nodes[a[link]] = Math.max(nodes[a[link]], links[link]);
    if (!fabric.isFolded(a[link])) nodes[b[link]] = Math.max(nodes[b[link]], links[link]);
    if (fabric.isFolded(a[link])) nodes[a[link]] = Math.max(nodes[a[link]], links[link]);
    if (fabric.isFolded(b[link])) nodes[b[link]] = Math.max(nodes[b[link]], links[link]);
  }
  return nodes;
}

function byState(fabric, data, palette) {
  const classes = [
    kind("Active", palette.good, { host: palette.host }),
    kind("degraded", palette.degraded, { width: 2, emphasised: true }),
    kind("Initialize or Armed", palette.pending, { width: 2, emphasised: true }),
    kind("Down", palette.down, { width: 2.4, emphasised: true }),
  ];
  const links = new Uint8Array(fabric.linkCount);
  for (let link = 0; link < fabric.linkCount; link++) {
    const state = fabric.links.port_state[link];
    if (fabric.links.degraded[link]) links[link] = 1;
    if (state === 2 || state === 3) links[link] = 2;
    if (state <= 1 || data.down.has(link)) links[link] = 3;
  }
  return { classes, links, nodes: nodesByLinks(fabric, links) };
}

/** Load against the mean of the running tables: what is far above it is to be seen. */
const LOAD_STEPS = [0.5, 1.25, 1.5, 2, Infinity];

function byLoad(fabric, data, palette) {
  const { loads, usual } = data;
  const classes = [kind(loads ? "unused" : "no tables yet", palette.none, { host: palette.none })];
  let from = 1;
  LOAD_STEPS.forEach((step, i) => {
    const to = step === Infinity ? Infinity : Math.max(from, Math.round(step * usual));
    const range = to === Infinity ? `${from} and more` : from === to ? `${to}` : `${from} to ${to}`;
    const label = i === 1 ? `${range} (about the mean)` : range;
    classes.push({ ...kind(label, palette.load[i], { width: [0.9, 1, 1.5, 2, 2.6][i], emphasised: i >= 3, host: palette.none }), to });
    from = to + 1;
  });
  // Pairs are counted between switches: a link of a host is neither loaded nor unused.
  const ofHosts = classes.push({ ...kind("of hosts", palette.none, { host: palette.none }), isListed: false }) - 1;
  const takenAway = classes.push(kind("taken away", palette.removed, { width: 2.4, emphasised: true })) - 1;
  const links = new Uint8Array(fabric.linkCount);
  for (let link = 0; link < fabric.linkCount; link++) {
    if (data.down.has(link)) links[link] = takenAway;
    else if (!fabric.isBetweenSwitches(link)) links[link] = ofHosts;
    else if (loads) links[link] = stepOf(classes, loadOf(loads, link));
  }
  return { classes, links, nodes: nodesByMeanLoad(fabric, loads, classes) };
}

/** Switches by the mean of their links to others: one hot link is seen itself. */
function nodesByMeanLoad(fabric, loads, classes) {
  const nodes = new Uint8Array(fabric.nodeCount);
  if (!loads) return nodes;
  for (const node of fabric.switches) {
    const own = fabric.linksOf(node).filter((link) => fabric.isBetweenSwitches(link));
    const sum = own.reduce((total, link) => total + loadOf(loads, link), 0);
    nodes[node] = stepOf(classes, sum / Math.max(1, own.length));
  }
  return nodes;
}

/** The busier direction; 0 also for a link that is not up, which tables do not use. */
function loadOf(loads, link) {
  return Math.max(0, loads.ab[link], loads.ba[link]);
}

function stepOf(classes, load) {
  return load === 0 ? 0 : classes.findIndex((of, i) => i > 0 && load <= of.to);
}

/** The busier direction's share of the link's rate. */
const TRAFFIC_STEPS = [0.1, 0.4, 0.7, 0.9, Infinity];
const TRAFFIC_LABELS = ["below 10 %", "10 to 40 %", "40 to 70 %", "70 to 90 %", "90 % and more"];

function byTraffic(fabric, data, palette) {
  const { counters } = data;
  const classes = [
    kind(counters ? "not known" : "no counters yet", palette.none, { host: palette.none }),
    ...TRAFFIC_LABELS.map((label, i) => kind(label, palette.load[i], { width: [0.9, 1, 1.5, 2, 2.6][i], emphasised: i >= 3 })),
  ];
  return byCounter(fabric, classes, (link) => {
    const used = counters ? Math.max(counters.used_ab[link], counters.used_ba[link]) : -1;
    return used < 0 ? 0 : 1 + TRAFFIC_STEPS.findIndex((step) => used < step);
  });
}

const ERROR_STEPS = [10, 100, 1000, Infinity];
const ERROR_LABELS = ["fewer than 10 an hour", "10 to 99", "100 to 999", "1,000 and more"];

function byErrors(fabric, data, palette) {
  const { counters } = data;
  const classes = [
    kind(counters ? "not known" : "no counters yet", palette.none, { host: palette.none }),
    kind("none", palette.good, { host: palette.host }),
    ...ERROR_LABELS.map((label, i) => kind(label, palette.errors[i], { width: [1.5, 2, 2.4, 2.6][i], emphasised: true })),
  ];
  return byCounter(fabric, classes, (link) => {
    const errors = counters ? counters.errors_per_hour[link] : -1;
    if (errors <= 0) return errors < 0 ? 0 : 1;
    return 2 + ERROR_STEPS.findIndex((step) => errors < step);
  });
}

function byCounter(fabric, classes, classOf) {
  const links = new Uint8Array(fabric.linkCount);
  for (let link = 0; link < fabric.linkCount; link++) links[link] = classOf(link);
  return { classes, links, nodes: nodesByLinks(fabric, links) };
}

function byCondition(fabric, data, palette) {
  const classes = [kind("no condition", palette.none, { host: palette.none })];
  for (const severity of SEVERITIES) {
    classes.push(kind(severity, palette[severity], { width: 2.2, emphasised: true }));
  }
  const links = new Uint8Array(fabric.linkCount);
  const nodes = new Uint8Array(fabric.nodeCount);
  for (const condition of data.conditions) {
    const node = data.nodeOf(condition);
    if (node < 0) continue;
    const rank = 1 + Math.max(0, SEVERITIES.indexOf(condition.severity));
    nodes[node] = Math.max(nodes[node], rank);
    const link = condition.port ? fabric.linkAt(node, condition.port) : -1;
    if (link >= 0) links[link] = Math.max(links[link], rank);
  }
  return { classes, links, nodes };
}
