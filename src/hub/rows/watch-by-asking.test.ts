// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import { makeRow } from "../fleet/testing/test-rows.ts";
import type { FleetQueryAnswer, FoundFleetRow, LiveQueryUpdate } from "./fleet-queries.ts";
import { watchByAsking } from "./watch-by-asking.ts";

const query = { text: "kind:Pod", limit: 50, sort: [], facets: [], position: "" };

function found(name: string, replicas = 1): FoundFleetRow {
  const row = makeRow("a", "pods", { name, replicas });
  return { cluster: "a", resource: "pods", kind: "Pod", row, troubledSinceMs: undefined };
}

function answerOf(rows: readonly FoundFleetRow[]): FleetQueryAnswer {
  return {
    rows,
    total: rows.length,
    next: "",
    facets: [],
    groups: [],
    leftOutGroupCount: 0,
    canonicalText: "",
    clusters: ["a"],
    resources: undefined,
    plan: [],
    rowsRead: 0,
    tookMs: 0,
  };
}

/** A view of rows that a test sets, and the updates that came. */
function openView(start: readonly FoundFleetRow[]) {
  const state = { rows: start, version: 1, askCount: 0 };
  const clock = new ManualClock();
  const leaving = new AbortController();
  const updates: LiveQueryUpdate[] = [];
  const ask = async (): Promise<FleetQueryAnswer> => {
    state.askCount += 1;
    return answerOf(state.rows);
  };
  const watching = (async () => {
    const view = watchByAsking({ clock, ask, version: async () => String(state.version) }, query, leaving.signal);
    for await (const update of view) updates.push(update);
  })();
  return { state, clock, updates, leaving, watching };
}

test("a view begins with its rows, then has what entered, changed and left, with the total", async () => {
  const { state, clock, updates, leaving, watching } = openView([found("one"), found("two")]);
  await settle();
  expect(updates).toMatchObject([{ isSnapshot: true, total: 2, left: [] }]);
  expect(updates[0]?.rows.map(({ row }) => row.name)).toEqual(["one", "two"]);
  Object.assign(state, { rows: [found("one", 5), found("three")], version: 2 });
  await clock.advance(500);
  expect(updates).toHaveLength(2);
  expect(updates[1]).toMatchObject({ isSnapshot: false, total: 2, left: [{ name: "two" }] });
  expect(updates[1]?.rows.map(({ row }) => row.name)).toEqual(["one", "three"]);
  leaving.abort(new Error("done"));
  await expect(watching).rejects.toThrow("done");
});

test("while nothing changes it is asked every five seconds, and nothing is sent", async () => {
  const { state, clock, updates, leaving, watching } = openView([found("one")]);
  await settle();
  await clock.advance(4_000);
  expect(state.askCount).toBe(1);
  await clock.advance(7_000);
  expect(state.askCount).toBe(3);
  expect(updates).toHaveLength(1);
  leaving.abort(new Error("done"));
  await expect(watching).rejects.toThrow("done");
});
