// What was lost: rows of /v1/lost, how they are selected, and lost nodes among those that are there, so that each is drawn where it was.

import { SWITCH } from "./fabric.js";

const CA = 1;
const STATE_DOWN = 1;
const NO_LAYER = 255;

/** {kind: "lost", guid}, with the port of a link. */
export function selectionOfLost({ node_guid: guid, port }) {
  return port === undefined ? { kind: "lost", guid } : { kind: "lost", guid, port };
}

/** The row that is selected; undefined if it is not lost any more. */
export function findLostRow(lost, { guid, port }) {
  return lost.find((one) => one.node_guid === guid && one.port === port);
}

/** "2 switches, 18 hosts, 1 link": how much is lost; "" if nothing is. */
export function lostText(lost) {
  const nodes = lost.filter((one) => one.kind === "node");
  const switches = nodes.filter((one) => one.is_switch).length;
  const counts = [[switches, "switch", "switches"], [nodes.length - switches, "host", "hosts"], [lost.length - nodes.length, "link", "links"]];
  return counts.filter(([n]) => n > 0).map(([n, one, more]) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`).join(", ");
}

/**
 * The topology with the lost nodes of /v1/lost behind its own, with the links that they had. `before`: Fabrics of earlier
 * snapshots, the latest first; of a node that none of them has, the port in front of it is known.
 */
export function withLost(topology, lost, before) {
  const known = new Set(topology.nodes.node_guid);
  const gone = lost.filter((one) => one.kind === "node" && !known.has(one.node_guid));
  if (gone.length === 0) return topology;
  const nodes = copyOf(topology.nodes);
  const links = copyOf(topology.links);
  const indexOf = new Map(nodes.node_guid.map((guid, node) => [guid, node]));
  const hasHosts = new Set(gone.filter((one) => !one.is_switch).map((one) => one.peer_guid));
  const highest = Math.max(...nodes.layer.filter((layer) => layer !== NO_LAYER));
  // A switch with hosts is a leaf; another one is beside the row of the switch that it was linked to.
  const layerOf = (one) => {
    if (!one.is_switch) return 0;
    if (hasHosts.has(one.node_guid)) return 1;
    const peer = nodes.layer[indexOf.get(one.peer_guid)] ?? NO_LAYER;
    if (peer === NO_LAYER) return NO_LAYER;
    return peer < highest ? peer + 1 : Math.max(1, peer - 1);
  };
  for (const one of gone) {
    const old = before.find((fabric) => fabric.indexOfGuid.has(one.node_guid));
    const node = old?.indexOfGuid.get(one.node_guid);
    indexOf.set(one.node_guid, nodes.node_guid.length);
    nodes.node_guid.push(one.node_guid);
    nodes.port_guids.push(old ? old.portGuids[node] : []);
    nodes.description.push(one.name);
    nodes.node_type.push(old ? old.type[node] : one.is_switch ? SWITCH : CA);
    nodes.lid.push(0);
    nodes.layer.push(old ? old.layer[node] : layerOf(one));
    nodes.leaf.push(-1);
  }
  const add = (a, aPort, b, bPort) => {
    if (a === undefined || b === undefined) return;
    const row = { a, a_port: aPort, b, b_port: bPort, port_state: STATE_DOWN };
    for (const [name, column] of Object.entries(links)) column.push(row[name] ?? (name.startsWith("load") ? -1 : 0));
  };
  const isGone = (guid) => indexOf.get(guid) >= known.size;
  for (const one of gone) {
    const index = indexOf.get(one.node_guid);
    const old = before.find((fabric) => fabric.indexOfGuid.has(one.node_guid));
    if (old) {
      const node = old.indexOfGuid.get(one.node_guid);
      for (const link of old.linksOf(node)) {
        const peer = old.peer(link, node);
        const guid = old.guid[peer];
        // A link between two lost nodes once.
        if (!isGone(guid) || one.node_guid < guid) add(index, old.portAt(link, node), indexOf.get(guid), old.portAt(link, peer));
      }
      const leaf = old.leaf[node] >= 0 ? indexOf.get(old.guid[old.leaf[node]]) : undefined;
      nodes.leaf[index] = leaf ?? -1;
    } else {
      const peer = indexOf.get(one.peer_guid);
      add(index, 1, peer, one.peer_port ?? 1);
      if (nodes.node_type[index] === CA && peer !== undefined && nodes.node_type[peer] === SWITCH) nodes.leaf[index] = peer;
    }
  }
  return { ...topology, nodes, links };
}

function copyOf(columns) {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, Array.from(column)]));
}
