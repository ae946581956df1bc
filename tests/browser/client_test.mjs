// A client that openapi-typescript generates from the document of a real manager compiles, and its answers are those of the fabric.
//
//   node --test client_test.mjs     with HEDDLE_BIN in the environment; npm fetches what client/package-lock.json names

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Daemon, PASSWORD, USER } from "./daemon.mjs";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "client");

test("AGeneratedClientCompilesAndReadsTheFabric", async (context) => {
  const dir = mkdtempSync(join(tmpdir(), "heddle-client-"));
  const run = (program, ...args) => execFileSync(program, args, { cwd: dir, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  let daemon;
  try {
    cpSync(SOURCE, dir, { recursive: true, filter: (path) => !path.includes("node_modules") });
    try {
      run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent");
    } catch (error) {
      if (process.env.HEDDLE_REQUIRE_TOOLS === "1" || process.env.CI) throw error;
      context.skip("npm is not installed, or reaches no registry");
      return;
    }
    daemon = await Daemon.start(process.env.HEDDLE_BIN, ["fat-tree", "--hosts", "16", "--radix", "8", "--levels", "2"]);
    const url = `http://127.0.0.1:${daemon.port}`;
    const authorization = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString("base64")}`;
    const answer = await fetch(`${url}/v1/openapi.json`, { headers: { Authorization: authorization } });
    writeFileSync(join(dir, "openapi.json"), await answer.text());
    run("node_modules/.bin/openapi-typescript", "openapi.json", "--output", "api.d.ts");
    try {
      run("node_modules/.bin/tsc", "--project", "tsconfig.json");
    } catch (error) {
      assert.fail(`the generated client does not compile:\n${error.stdout}`);
    }
    const read = JSON.parse(run("node", "made/client.js", url, USER, PASSWORD));
    assert.equal(read.state, "Master");
    assert.deepEqual(read.leaves.sort(), ["S1-0", "S1-1", "S1-2", "S1-3"]);
    assert.equal(read.links.length, 8, "4 hosts, and two links to each of 2 spines");
    assert.equal(new Set(read.links.flat()).size, 7);
    assert.ok(read.links.every((ends) => ends.some((name) => read.leaves.includes(name))));
    assert.equal(read.ports, 9); // 0 to 8
    assert.deepEqual([read.hops[0], read.hops.at(-1)], ["H0", "H1"]);
    assert.ok(read.loads > 0);
    assert.equal(read.conditions, 0);
    assert.match(read.problem, /no-such-node/);
  } finally {
    await daemon?.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});
