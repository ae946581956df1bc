// The map's search, without a browser: node --test tests/browser/search_test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { describe, find } from "../../sm/ops/map/page/src/search.js";

const names = ["S1-30", "S1-31", "S2-3", "H36 mlx5_0", "H360 mlx5_0"];
const fabric = {
  nodeCount: names.length,
  name: names,
  guid: names.map((_, i) => `0x000000000000000${i + 1}`),
  lid: names.map((_, i) => i + 1),
  isSwitch: (node) => node < 3,
  typeName: (node) => (node < 3 ? "Switch" : "Host"),
};
const lost = [
  { kind: "node", node_guid: "0x00000000000000aa", name: "S1-3", peer: "S2-3", peer_guid: "0x0000000000000003", peer_port: 4, for_s: 300 },
  { kind: "link", node_guid: "0x0000000000000001", name: "S1-30", port: 7, peer: "S2-3", peer_port: 9, for_s: 5 },
];
const chosen = (text, gone = []) => {
  const [first] = find(fabric, text, gone);
  return first && !first.isGuess ? (first.lost ? `lost ${first.lost.name}` : names[first.node]) : undefined;
};

test("AnExactNameIsNeverABeginning", () => {
  assert.equal(chosen("S1-3"), undefined);
  assert.equal(chosen("s1-3 port 2"), undefined);
  assert.equal(chosen("S1-30"), "S1-30");
  assert.equal(chosen("H36"), "H36 mlx5_0");
  assert.deepEqual(find(fabric, "S1-3").map(({ node }) => names[node]), ["S1-30", "S1-31"], "they are shown, and none is chosen");
  assert.equal(chosen("S1"), "S1-30", "the beginning of a name");
});

test("WhatIsLostIsFound", () => {
  assert.equal(chosen("S1-3", lost), "lost S1-3");
  assert.equal(chosen("s1-3:2", lost), "lost S1-3");
  assert.equal(chosen("0x00000000000000aa", lost), "lost S1-3");
  assert.equal(chosen("S1-30", lost), "S1-30", "what is there comes first");
  assert.equal(describe(fabric, find(fabric, "S1-3", lost)[0]), "Lost since 5 min: S1-3, at S2-3 port 4");
});
