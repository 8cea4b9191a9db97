// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Row } from "../../../model/row.ts";
import { hasher } from "../../fleet/testing/test-fleet.ts";
import { makeBatch, makeRow } from "../../fleet/testing/test-rows.ts";
import { MemoryFleetRows } from "../../rows/memory-fleet-rows.ts";
import { countTrouble, listTrouble } from "./unhealthy-objects.ts";

type Statuses = Readonly<Record<string, Row["status"]>>;

/** Fleet rows of the cluster `a` with these rows of each kind. */
function pictureOf(kinds: Readonly<Record<string, Statuses>>): MemoryFleetRows {
  const fleetRows = new MemoryFleetRows(hasher);
  for (const [at, [resource, statuses]] of Object.entries(kinds).entries()) {
    const rows = Object.entries(statuses).map(([name, status]) => ({ ...makeRow("a", resource, { name }), status }));
    const part = { resource, form: { kind: "delta" }, batch: makeBatch(resource, rows) } as const;
    fleetRows.load("a", part, { position: at + 1, receivedAtMs: 0 });
  }
  return fleetRows;
}

function namesOf(fleetRows: MemoryFleetRows): readonly string[] {
  return listTrouble(fleetRows, "a", countTrouble(fleetRows, "a")).map(
    ({ resource, row }) => `${resource} ${row.name}`,
  );
}

test("[PG24] what is unhealthy or degraded is counted, by kind and in order of the kinds; nothing else is trouble", () => {
  const fleetRows = pictureOf({
    pods: { p1: "unhealthy", p2: "degraded", p3: "progressing", p4: "healthy" },
    nodes: { n1: "degraded" },
    jobs: { j1: "completed", j2: "terminating", j3: "suspended", j4: "unknown" },
  });
  expect(countTrouble(fleetRows, "a")).toEqual([
    { resource: "nodes", kind: "Thing", count: 1 },
    { resource: "pods", kind: "Thing", count: 2 },
  ]);
  expect(countTrouble(fleetRows, "b")).toEqual([]);
});

test("the worst rows of all kinds come first, those of one status by kind and key", () => {
  const fleetRows = pictureOf({
    pods: { z: "unhealthy", b: "degraded", a: "degraded" },
    nodes: { n2: "degraded", n1: "unhealthy", n3: "healthy" },
  });
  expect(namesOf(fleetRows)).toEqual(["nodes n1", "pods z", "nodes n2", "pods a", "pods b"]);
});

test("of very many rows the worst 500 are listed, and all are counted", () => {
  const many = (prefix: string): Statuses =>
    Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`${prefix}${at}`, "degraded"]));
  const fleetRows = pictureOf({ nodes: many("n"), pods: { ...many("p"), worst: "unhealthy" } });
  expect(countTrouble(fleetRows, "a").map(({ count }) => count)).toEqual([400, 401]);
  expect(namesOf(fleetRows)).toHaveLength(500);
  expect(namesOf(fleetRows)[0]).toBe("pods worst");
});
