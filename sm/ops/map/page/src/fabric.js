// The topology as /v1/topology gives it: columns, with the look-ups that drawing and searching need.
// Nodes and links are indices into its columns throughout the page.

export const CA = 1;
export const SWITCH = 2;
export const ROUTER = 3;

const TYPE_NAMES = { [CA]: "Host", [SWITCH]: "Switch", [ROUTER]: "Router" };
const STATE_NAMES = { 1: "Down", 2: "Initialize", 3: "Armed", 4: "Active" };
const PREFIX_LENGTH = 18; // "0x" and 16 digits
const collator = new Intl.Collator("en", { numeric: true });

export function stateName(state) {
  return STATE_NAMES[state] ?? `state ${state}`;
}

/** "leaf-2" before "leaf-10". */
export function compareNames(a, b) {
  return collator.compare(a, b);
}

/** For each of `count` owners the list of what belongs to it: a slice of one array. */
function slices(count, owners) {
  const first = new Int32Array(count + 1);
  for (const owner of owners) if (owner >= 0) first[owner + 1]++;
  for (let i = 0; i < count; i++) first[i + 1] += first[i];
  const items = new Int32Array(first[count]);
  const next = first.slice();
  owners.forEach((owner, item) => {
    if (owner >= 0) items[next[owner]++] = item;
  });
  return (owner) => items.subarray(first[owner], first[owner + 1]);
}

export class Fabric {
  constructor(topology) {
    this.topology = topology;
    const { nodes, links } = topology;
    this.snapshot = topology.snapshot;
    this.guid = nodes.node_guid;
    this.portGuids = nodes.port_guids;
    this.name = nodes.description;
    this.type = nodes.node_type;
    this.lid = nodes.lid;
    this.layer = nodes.layer;
    this.leaf = nodes.leaf;
    this.links = links;
    this.nodeCount = this.guid.length;
    this.linkCount = links.a.length;
    this.switches = [];
    this.routers = [];
    for (let node = 0; node < this.nodeCount; node++) {
      if (this.isSwitch(node)) this.switches.push(node);
      if (this.isRouter(node)) this.routers.push(node);
    }
    this.hostsOf = slices(this.nodeCount, this.leaf.map((leaf, node) => (this.isFolded(node) ? leaf : -1)));
    const ends = new Int32Array(this.linkCount * 2);
    for (let link = 0; link < this.linkCount; link++) {
      ends[2 * link] = links.a[link];
      ends[2 * link + 1] = links.b[link];
    }
    this.endsOf = slices(this.nodeCount, ends); // link * 2 + (0: its end a, 1: its end b)
    this.indexOfGuid = new Map(this.guid.map((guid, node) => [guid, node]));
  }

  /** The node that has an end port with this GUID. */
  indexOfPortGuid(guid) {
    this.nodeOfPort ??= new Map(this.portGuids.flatMap((guids, node) => guids.map((one) => [one, node])));
    return this.nodeOfPort.get(guid);
  }
  /** The subnet prefix, with which its GIDs begin: "0xfe80000000000000". */
  get prefix() {
    return this.topology.fabric_id?.slice(0, PREFIX_LENGTH);
  }

  /** Those that are in the subnet: behind `presentCount` are nodes that were lost, which a layout keeps places for. */
  presentOf(nodes) {
    return nodes.filter((node) => node < (this.presentCount ?? this.nodeCount));
  }
  isSwitch(node) {
    return this.type[node] === SWITCH;
  }
  isRouter(node) {
    return this.type[node] === ROUTER;
  }
  /** Drawn under the switch that it is attached to. */
  isFolded(node) {
    return !this.isSwitch(node) && !this.isRouter(node) && this.leaf[node] >= 0;
  }
  typeName(node) {
    return TYPE_NAMES[this.type[node]] ?? "Node";
  }
  linksOf(node) {
    return Array.from(this.endsOf(node), (end) => end >> 1);
  }
  peer(link, node) {
    return this.links.a[link] === node ? this.links.b[link] : this.links.a[link];
  }
  portAt(link, node) {
    return this.links.a[link] === node ? this.links.a_port[link] : this.links.b_port[link];
  }
  linkAt(node, port) {
    for (const end of this.endsOf(node)) {
      const link = end >> 1;
      if ((end & 1 ? this.links.b_port : this.links.a_port)[link] === port) return link;
    }
    return -1;
  }
  isBetweenSwitches(link) {
    return this.isSwitch(this.links.a[link]) && this.isSwitch(this.links.b[link]);
  }
  rateText(link) {
    const rate = this.topology.rates[this.links.rate[link]];
    if (!rate) return "rate unknown";
    return `${rate.link_width_active} ${rate.link_speed_active}, ${rate.rate_gbps} Gbit/s`;
  }
  linkName(link) {
    const { a, a_port, b, b_port } = this.links;
    return `${this.name[a[link]]} port ${a_port[link]} – ${this.name[b[link]]} port ${b_port[link]}`;
  }
  /** What /v1/plan takes: "GUID:PORT" of one end. */
  linkReference(link) {
    return `${this.guid[this.links.a[link]]}:${this.links.a_port[link]}`;
  }
  /** The heavier direction; null without tables. */
  loadOf(link) {
    const { load_ab, load_ba } = this.links;
    return load_ab ? Math.max(load_ab[link], load_ba[link]) : null;
  }
  counts() {
    let hosts = 0;
    let routers = 0;
    for (const type of this.type) {
      if (type === CA) hosts++;
      if (type === ROUTER) routers++;
    }
    return { hosts, routers, switches: this.switches.length, links: this.linkCount };
  }
}
