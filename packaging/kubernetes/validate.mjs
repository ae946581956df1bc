// node validate.mjs DIRECTORY FILE...: checks the objects of a manifest by the schemas of package kubernetes-models, which is installed in
// DIRECTORY/node_modules: required fields, types and formats by its validators; unknown fields and values by its types (tsc); and what one part of the manifest
// says of another. Exit code 1: a line on standard output for each error.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [directory, ...files] = process.argv.slice(2).map((name) => path.resolve(name));
const require = createRequire(path.join(directory, "package.json"));
const errors = [];

const objects = files.flatMap((file) => require("js-yaml").loadAll(readFileSync(file, "utf8"))).filter(Boolean);
const nameOf = (object) => `${object.kind} ${object.metadata?.name}`;

let types = "";
for (const [index, object] of objects.entries()) {
  // The operator of Prometheus defines it; only what it says of other objects is checked, below.
  if (object.kind === "PodMonitor") continue;
  let models;
  try {
    models = require(`kubernetes-models/${object.apiVersion}`);
  } catch {}
  const Model = models?.[object.kind];
  if (!Model) {
    errors.push(`${nameOf(object)}: Kubernetes has no such kind in ${object.apiVersion}`);
    continue;
  }
  try {
    new Model(object).validate();
  } catch (error) {
    errors.push(`${nameOf(object)}: ${error.message}`);
  }
  types += `import type { I${object.kind} as Type${index} } from "kubernetes-models/${object.apiVersion}";\n`;
  types += `export const object${index}: Type${index} = ${JSON.stringify(object, null, 1)};\n`;
}

// An object literal may have no field that its type does not have.
writeFileSync(path.join(directory, "manifest.ts"), types);
const compiled = spawnSync(
  process.execPath,
  [require.resolve("typescript/bin/tsc"), "--noEmit", "--strict", "--skipLibCheck", "--moduleResolution", "node", "--target", "es2020", "manifest.ts"],
  { cwd: directory, encoding: "utf8" },
);
if (compiled.status !== 0) errors.push(compiled.stdout.trim() || String(compiled.error ?? "tsc failed"));

const configMaps = new Map(objects.filter((o) => o.kind === "ConfigMap").map((o) => [o.metadata.name, o]));
const namespaces = new Set(objects.filter((o) => o.kind === "Namespace").map((o) => o.metadata.name));
const secrets = new Map(objects.filter((o) => o.kind === "Secret").map((o) => [o.metadata.name, o]));
for (const object of objects) {
  if (object.metadata?.namespace && !namespaces.has(object.metadata.namespace))
    errors.push(`${nameOf(object)}: namespace ${object.metadata.namespace} is not in the manifest`);
  const template = object.spec?.template;
  if (!template) continue;
  for (const [key, value] of Object.entries(object.spec.selector?.matchLabels ?? {}))
    if (template.metadata?.labels?.[key] !== value) errors.push(`${nameOf(object)}: its pods do not have the label ${key}=${value} of its selector`);
  const configuration = configMaps.get("heddle")?.data["opensm.conf"] ?? "";
  const option = (name) => new RegExp(`^${name} (.*)$`, "m").exec(configuration)?.[1] ?? "";
  const portOf = (text) => /:(\d+)$/.exec(text)?.[1];
  const listens = {
    http: portOf(option("http_listen")),
    state: option("state_store") === "peers" ? (portOf(option("state_listen")) ?? "9350") : undefined,
  };
  for (const container of template.spec.containers) {
    const ports = new Map((container.ports ?? []).map((port) => [port.name, port.containerPort]));
    for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
      const port = container[probe]?.httpGet?.port;
      if (port && !ports.has(port)) errors.push(`${container.name}: ${probe}: port ${port} does not exist`);
    }
    for (const [name, port] of ports)
      if (String(port) !== listens[name]) errors.push(`${container.name}: port ${name} is ${port}, opensm.conf has ${listens[name]}`);
    for (const [name, port] of Object.entries(listens)) if (port && !ports.has(name)) errors.push(`${container.name}: port ${name} (${port} of opensm.conf) is missing`);
    // A peer is an address that stays, and the secret is in a volume.
    if (listens.state && !template.spec.hostNetwork) errors.push(`${container.name}: state_peers without hostNetwork: pods have other addresses after a restart`);
    const keyFile = option("state_store_key_file");
    const directory = container.volumeMounts?.find((mount) => path.dirname(keyFile) === mount.mountPath);
    const volume = template.spec.volumes?.find(({ name }) => name === directory?.name);
    if (listens.state && !volume?.secret) errors.push(`${container.name}: ${keyFile} of state_store_key_file is not in a mounted Secret`);
  }
  const volumes = new Set((template.spec.volumes ?? []).map((volume) => volume.name));
  const mounted = new Set();
  for (const container of template.spec.containers) {
    for (const mount of container.volumeMounts ?? []) {
      mounted.add(mount.name);
      if (!volumes.has(mount.name)) errors.push(`${container.name}: volume ${mount.name} does not exist`);
    }
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {}))
      if (name.includes("/") && container.resources.requests?.[name] !== limit) errors.push(`${container.name}: ${name}: requests and limits differ`);
  }
  for (const volume of template.spec.volumes ?? []) {
    if (!mounted.has(volume.name)) errors.push(`volume ${volume.name} is not mounted`);
    if (volume.configMap && !configMaps.has(volume.configMap.name)) errors.push(`ConfigMap ${volume.configMap.name} does not exist`);
  }
}

// Labels and ports that a PodMonitor selects.
const templates = objects.map((object) => object.spec?.template).filter(Boolean);
for (const monitor of objects.filter((object) => object.kind === "PodMonitor")) {
  const labels = Object.entries(monitor.spec.selector?.matchLabels ?? {});
  const pods = templates.filter((template) => labels.length > 0 && labels.every(([key, value]) => template.metadata.labels[key] === value));
  if (pods.length === 0) errors.push(`${nameOf(monitor)}: no pod has the labels of its selector`);
  for (const endpoint of monitor.spec.podMetricsEndpoints) {
    if (!pods.some((pod) => pod.spec.containers.some((container) => (container.ports ?? []).some((port) => port.name === endpoint.port))))
      errors.push(`${nameOf(monitor)}: no pod has the port ${endpoint.port}`);
    for (const { name, key } of Object.values(endpoint.basicAuth ?? {}))
      if (secrets.get(name)?.stringData[key] === undefined) errors.push(`${nameOf(monitor)}: Secret ${name} has no key ${key}`);
  }
}

// The configuration, for heddlectl check-config.
for (const [name, text] of Object.entries(configMaps.get("heddle")?.data ?? {})) writeFileSync(path.join(directory, name), text);

for (const error of errors) console.log(error);
console.log(`${files.map((file) => path.basename(file)).join(", ")}: ${objects.length} objects, ${errors.length} errors`);
process.exit(errors.length === 0 ? 0 : 1);
