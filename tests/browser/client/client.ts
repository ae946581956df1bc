// A client of the API in the types that openapi-typescript makes of /v1/openapi.json. Compiling it is half of the test: what the
// document does not have is an error.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const [url, user, password] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl: url,
  headers: { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` },
});

function have<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(`refused: ${JSON.stringify(error)}`);
  return data;
}

const subnet = have(await client.GET("/v1/subnet"));
const leaves: components["schemas"]["Node"][] = have(await client.GET("/v1/nodes", { params: { query: { type: "Switch", name: "S1-", limit: 100 } } })).nodes;
const leaf = leaves[0];
if (!leaf) throw new Error("no leaf");
const links = have(await client.GET("/v1/links", { params: { query: { node: leaf.description } } })).links;
const node = have(await client.GET("/v1/nodes/{node}", { params: { path: { node: leaf.node_guid } } }));
const path = have(await client.GET("/v1/routing/path", { params: { query: { from: "H0", to: "H1" } } }));
const loads = have(await client.GET("/v1/routing/loads", { params: { query: { node: leaf.description } } })).loads;
const conditions = have(await client.GET("/v1/conditions", { params: { query: { severity: "critical" } } })).conditions;
const refused = await client.GET("/v1/nodes/{node}", { params: { path: { node: "no-such-node" } } });

// @ts-expect-error: the document has no such filter
void client.GET("/v1/nodes", { params: { query: { colour: "red" } } }).catch(() => undefined);
// @ts-expect-error: none of the values that it may have
void client.GET("/v1/nodes", { params: { query: { type: "Bridge" } } }).catch(() => undefined);

console.log(JSON.stringify({
  state: subnet.state,
  leaves: leaves.map(({ description }) => description),
  links: links.map(({ a, b }) => [a.description, b.description]),
  ports: node.physical_ports.length,
  hops: path.forward.hops.map(({ description }) => description),
  loads: loads.length,
  conditions: conditions.length,
  problem: refused.error?.detail,
}));
