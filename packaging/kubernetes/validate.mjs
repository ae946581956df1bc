// node validate.mjs DIRECTORY FILE: checks the objects of a manifest by the schemas of package kubernetes-models, which is installed in
// DIRECTORY/node_modules: required fields, types and formats by its validators; unknown fields and values by its types (tsc); and what one part of the manifest
// says of another. Exit code 1: a line on standard output for each error.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [directory, file] = process.argv.slice(2).map((name) => path.resolve(name));
const require = createRequire(path.join(directory, "package.json"));
const errors = [];

const objects = require("js-yaml").loadAll(readFileSync(file, "utf8")).filter(Boolean);
const nameOf = (object) => `${object.kind} ${object.metadata?.name}`;

let types = "";
for (const [index, object] of objects.entries()) {
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
for (const object of objects) {
  if (object.metadata?.namespace && !namespaces.has(object.metadata.namespace))
    errors.push(`${nameOf(object)}: namespace ${object.metadata.namespace} is not in the manifest`);
  const template = object.spec?.template;
  if (!template) continue;
  for (const [key, value] of Object.entries(object.spec.selector?.matchLabels ?? {}))
    if (template.metadata?.labels?.[key] !== value) errors.push(`${nameOf(object)}: its pods do not have the label ${key}=${value} of its selector`);
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

// The configuration, for heddlectl check-config.
for (const [name, text] of Object.entries(configMaps.get("heddle")?.data ?? {})) writeFileSync(path.join(directory, name), text);

for (const error of errors) console.log(error);
console.log(`${path.basename(file)}: ${objects.length} objects, ${errors.length} errors`);
process.exit(errors.length === 0 ? 0 : 1);
