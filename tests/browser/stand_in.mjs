// A stand-in for the daemon: serves the page and the topology of a file of ibnetdiscover's form. For what a real daemon
// is not brought to at will: answers with errors, STANDBY, no sweep yet.
//
//   node stand_in.mjs PAGE_DIRECTORY FILE.net [PORT]

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Nodes and links of the file; switches 2, hosts 1. */
export function readNet(text) {
  const nodes = [];
  const ends = [];
  const indexOf = new Map();
  let guid = "";
  for (const line of text.split("\n")) {
    const guidLine = /^(?:switch|ca|rt)guid=0x([0-9a-f]+)/.exec(line);
    if (guidLine) guid = `0x${guidLine[1].padStart(16, "0")}`;
    const node = /^(Switch|Ca)\s+\d+ "([^"]+)"/.exec(line);
    if (node) {
      indexOf.set(node[2], nodes.length);
      nodes.push({ guid, name: node[2], type: node[1] === "Switch" ? 2 : 1 });
    }
    const port = /^\[(\d+)\](?:\([0-9a-f]+\))?\s+"([^"]+)"\[(\d+)\]/.exec(line);
    if (port) ends.push([nodes.length - 1, Number(port[1]), port[2], Number(port[3])]);
  }
  const links = [];
  for (const [a, aPort, peer, bPort] of ends) {
    const b = indexOf.get(peer);
    if (a < b || (a === b && aPort < bPort)) links.push({ a, aPort, b, bPort });
  }
  return { nodes, links };
}

/** The rest of a net when nodes are taken out. */
export function without({ nodes, links }, gone) {
  const kept = nodes.map((_, i) => i).filter((i) => !gone.includes(i));
  const indexOf = new Map(kept.map((before, now) => [before, now]));
  const whole = links.filter(({ a, b }) => indexOf.has(a) && indexOf.has(b));
  return { nodes: kept.map((i) => nodes[i]), links: whole.map((link) => ({ ...link, a: indexOf.get(link.a), b: indexOf.get(link.b) })) };
}

/** What /v1/topology answers. Loads: hosts below a link, which is no routing, but spread like one. */
export function topologyOf({ nodes, links }, kind, snapshot = "1") {
  const peers = nodes.map(() => []);
  for (const { a, b } of links) {
    peers[a].push(b);
    peers[b].push(a);
  }
  const leaf = nodes.map((node, i) => (node.type === 2 ? -1 : (peers[i].find((peer) => nodes[peer].type === 2) ?? -1)));
  const layer = nodes.map((node) => (node.type === 2 ? 255 : 0));
  let row = [...new Set(leaf.filter((node) => node >= 0))];
  for (let height = 1; row.length > 0; height++) {
    for (const node of row) layer[node] = height;
    row = [...new Set(row.flatMap((node) => peers[node]))].filter((node) => layer[node] === 255);
  }
  const portGuid = ({ guid, type }) => (type === 2 ? guid : `0x${(BigInt(guid) + 1n).toString(16).padStart(16, "0")}`);
  const names = nodes.map((node) => node.name.replace(/^"|"$/g, ""));
  const loads = links.map(({ a, b }, i) => (nodes[a].type === 2 && nodes[b].type === 2 ? 100 + ((i * 7919) % 97) : 1));
  return {
    fabric_id: "0xfe80000000000000-0x0002c90200000001", snapshot, sm_node: 0, engine: "minhop",
    kind, what: "as the file has it",
    grid: null,
    rates: [{ link_width_active: "4X", link_speed_active: "NDR", rate_gbps: 400 }],
    nodes: {
      node_guid: nodes.map((node) => node.guid), port_guids: nodes.map((node) => [portGuid(node)]), description: names, node_type: nodes.map((node) => node.type),
      lid: nodes.map((_, i) => i + 1), layer, leaf,
    },
    links: {
      a: links.map((link) => link.a), a_port: links.map((link) => link.aPort),
      b: links.map((link) => link.b), b_port: links.map((link) => link.bPort),
      port_state: links.map(() => 4), rate: links.map(() => 0), degraded: links.map(() => 0), load_ab: loads, load_ba: loads.map((load) => load - (load % 5)),
    },
    load: { worst: 196, p99: 195, mean: 148, unused: 0 },
  };
}

export class StandIn {
  /** `fails`: path -> [status, body], instead of its answer. `answers`: path -> JSON. `silent`: a stream's path -> JSON of ?since=; the stream itself is not answered. */
  constructor(page, topology) {
    Object.assign(this, { page, topology, fails: new Map(), answers: new Map(), silent: new Map(), state: "Master", streams: new Set(), resumedFrom: [] });
    this.server = createServer((request, response) => this.answer(request, response));
  }
  listen(port = 0) {
    return new Promise((resolve) => this.server.listen(port, "127.0.0.1", () => resolve(this.server.address().port)));
  }
  close() {
    this.server.closeAllConnections?.();
    return new Promise((resolve) => this.server.close(resolve));
  }
  send(event) {
    for (const stream of this.streams) stream.write(`id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  answer(request, response) {
    const path = new URL(request.url, "http://x").pathname;
    const fail = this.fails.get(path);
    const reply = (status, type, body, headers = {}) => {
      response.writeHead(status, { "Content-Type": type, "Content-Encoding": "gzip", "Content-Security-Policy": CSP, ...headers });
      response.end(gzipSync(body, { level: 1 }));
    };
    const json = (value, headers) => reply(200, "application/json", JSON.stringify(value), headers);
    if (fail) return reply(fail[0], "application/problem+json", JSON.stringify(fail[1]));
    if (path === "/map") return reply(200, "text/html; charset=utf-8", readFileSync(join(this.page, "src/index.html")));
    if (path === "/map/app.js") return reply(200, "text/javascript; charset=utf-8", readFileSync(join(this.page, "bundle/app.js")));
    if (path === "/map/app.css") return reply(200, "text/css; charset=utf-8", readFileSync(join(this.page, "src/app.css")));
    if (path === "/map/icon.svg") return reply(200, "image/svg+xml", readFileSync(join(this.page, "src/icon.svg")));
    if (this.answers.has(path)) {
      const value = this.answers.get(path);
      return json(typeof value === "function" ? value(request) : value);
    }
    if (path === "/v1/topology") {
      const etag = `"${this.topology.snapshot}"`;
      if (request.headers["if-none-match"] === etag) return response.writeHead(304, { ETag: etag }).end();
      return json(this.topology, { ETag: etag, "Cache-Control": "no-cache" });
    }
    if (path === "/v1/subnet") return json({ state: this.state, master: { guid: "0x0002c90300000001", name: "sm-1" } });
    if (path === "/v1/conditions") return json({ conditions: [], next_cursor: null });
    if (path === "/v1/subnets") return json({ subnets: [], next_cursor: null });
    if (path === "/v1/lost") return json({ lost: [], next_cursor: null });
    if (this.silent.has(path)) return request.url.includes("since=") ? json(this.silent.get(path)(request)) : undefined;
    if (path === "/v1/events") {
      if (request.url.includes("since=")) return json({ events: [], last_id: "0" });
      this.resumedFrom.push(request.headers["last-event-id"] ?? "");
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(": here\n\n");
      this.streams.add(response);
      response.on("close", () => this.streams.delete(response));
      return undefined;
    }
    return reply(404, "application/problem+json", JSON.stringify({ status: 404, detail: `There is no ${path}.` }));
  }
}
