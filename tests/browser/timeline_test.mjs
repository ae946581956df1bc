// The map's list of events, without a browser: node --test tests/browser/timeline_test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { families } from "../../sm/ops/map/page/src/panel_conditions.js";
import { folded } from "../../sm/ops/map/page/src/timeline.js";

const gone = (id, node_guid, caused_by, snapshot = "7") => ({ id, kind: "node_disappeared", node_guid, caused_by, snapshot });

test("EventsThatFollowFromALostSwitchAreCountedByIt", () => {
  const link = { id: "4", kind: "link_down", node_guid: "spine", caused_by: "leaf", snapshot: "7" };
  const rows = folded([gone("1", "host-1", "leaf"), gone("2", "host-2", "leaf"), gone("3", "leaf"), link]);
  assert.deepEqual(rows.map(({ event, caused }) => [event.id, caused]), [["3", 3]]);
});

test("AnEventWhoseCauseIsNotKeptIsShown", () => {
  const rows = folded([gone("1", "host-1", "leaf", "6"), gone("3", "leaf")]);
  assert.deepEqual(rows.map(({ event, caused }) => [event.id, caused]), [["1", 0], ["3", 0]]);
});

test("ConditionsAreBelowTheirCause", () => {
  const leaf = { id: "SM-NODE-LOST", guid: "0x1", severity: "critical" };
  const host = { id: "SM-NODE-LOST", guid: "0x2", severity: "info", caused_by: { id: "SM-NODE-LOST", guid: "0x1" } };
  const other = { id: "SM-LINK-LOST", guid: "0x1", port: 3, severity: "warning" };
  assert.deepEqual(families([leaf, other, host]), [{ root: leaf, caused: [host] }, { root: other, caused: [] }]);
});
