// The map's search, without a browser: node --test tests/browser/search_test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { describe, find, readGid } from "../../sm/ops/map/page/src/search.js";

const names = ["S1-30", "S1-31", "S2-3", "H36 mlx5_0", "H360 mlx5_0"];
const fabric = {
  nodeCount: names.length,
  name: names,
  guid: names.map((_, i) => `0x000000000000000${i + 1}`),
  lid: names.map((_, i) => i + 1),
  portGuids: names.map((_, i) => [`0x0002c903000000${i + 1}1`, `0x0002c903000000${i + 1}2`]),
  indexOfPortGuid: (guid) => [0, 1, 2, 3, 4].find((i) => fabric.portGuids[i].includes(guid)),
  prefix: "0xfec0000000000007",
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
  assert.equal(describe(fabric, find(fabric, "S1-3", lost)[0]), "Lost for 5 min: S1-3, at S2-3 port 4");
});

test("AGidIsThePrefixAndThePortGuid", () => {
  assert.deepEqual(readGid("fe80::2:c903:a1:b2c1"), { prefix: "0xfe80000000000000", guid: "0x0002c90300a1b2c1" });
  assert.deepEqual(readGid("FEC0:0:0:7:0002:c903:00a1:b2c1"), { prefix: "0xfec0000000000007", guid: "0x0002c90300a1b2c1" });
  for (const text of ["leaf-3:17", "0x0002c90300a1b2c1:1", "fe80:2:3", "fe80::1::2", "1:2:3:4:5:6:7:8:9", "fe80::12345", "S1-3", ""]) assert.equal(readGid(text), null, text);
  for (const gid of ["fec0:0:0:7:2:c903::41", "fec0:0:0:7:2:c903:0:41", "fe80::2:c903:0:41"]) assert.equal(chosen(gid), "H36 mlx5_0", gid);
  assert.equal(chosen("fec0:0:0:8:2:c903:0:41"), undefined, "of another subnet");
  assert.equal(find(fabric, "fe80::2:c903:0:42")[0].portGuid, "0x0002c90300000042", "which port of the node is meant");
});

test("APortGuidIsFoundAsANodeGuidIs", () => {
  assert.equal(chosen("0x0002c90300000041"), "H36 mlx5_0");
  assert.equal(find(fabric, "0x0002c90300000041")[0].portGuid, "0x0002c90300000041");
  assert.equal(chosen("0x0000000000000004"), "H36 mlx5_0");
  assert.equal(find(fabric, "0x0000000000000004")[0].portGuid, undefined);
});
