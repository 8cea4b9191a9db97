// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test } from "vitest";
import type { Row } from "../../model/row.ts";
import { PlainPicture } from "../fleet/plain-picture.ts";
import { hasher } from "../fleet/testing/test-fleet.ts";
import { makeBatch, makeRow } from "../fleet/testing/test-rows.ts";
import { TroubleTally } from "./trouble-tally.ts";

let picture: PlainPicture;
let position: number;
let looked: Set<string>;
let tally: TroubleTally;

beforeEach(() => {
  picture = new PlainPicture(hasher);
  position = 0;
  looked = new Set();
  tally = new TroubleTally({ picture, onChange: () => undefined, wantsRows: (cluster) => looked.has(cluster) });
});

/** Puts rows into the picture and says so. */
function put(cluster: string, resource: string, rows: readonly Row[]): void {
  position += 1;
  const part = { resource, form: { kind: "delta" }, batch: makeBatch(resource, rows) } as const;
  picture.load(cluster, part, { position, receivedAtMs: 0 });
  tally.touch(cluster);
}

function row(cluster: string, resource: string, name: string, status: Row["status"]): Row {
  return { ...makeRow(cluster, resource, { name }), status };
}

const count = (cluster: string): number => tally.of(cluster).reduce((sum, each) => sum + each.count, 0);

test("[PG24] a step looks at a bounded number of rows, and many steps count everything", () => {
  const rows = Array.from({ length: 12_000 }, (_, at) =>
    row("big", "pods", `p${at}`, at % 2 === 0 ? "unhealthy" : "healthy"),
  );
  put("big", "pods", rows.slice(0, 6_000));
  put("big", "pods", rows.slice(6_000));
  tally.step();
  tally.step();
  expect(count("big")).toBe(0);
  tally.step();
  expect(count("big")).toBe(6_000);
});

test("a cluster that changes at every step does not keep another waiting", () => {
  put("quiet", "pods", [row("quiet", "pods", "p", "degraded")]);
  for (let round = 0; round < 5 && count("quiet") === 0; round += 1) {
    const rows = Array.from({ length: 4_000 }, (_, at) => row("busy", "pods", `p${round}-${at}`, "healthy"));
    put("busy", "pods", rows);
    tally.step();
  }
  expect(count("quiet")).toBe(1);
});

test("what is counted and has not changed is not looked at again", () => {
  put("a", "pods", [row("a", "pods", "p", "unhealthy")]);
  tally.step();
  let snapshotCount = 0;
  const { snapshot } = PlainPicture.prototype;
  picture.snapshot = function counted(...args) {
    snapshotCount += 1;
    return snapshot.apply(picture, args);
  };
  for (let round = 0; round < 10; round += 1) {
    tally.touch("a");
    tally.step();
  }
  expect(snapshotCount).toBe(0);
  put("a", "nodes", [row("a", "nodes", "n", "healthy")]);
  tally.step();
  expect(snapshotCount).toBe(1);
});

test("rows are kept only while somebody looks, the worst of them", () => {
  put("a", "pods", [row("a", "pods", "p1", "degraded"), row("a", "pods", "p2", "unhealthy")]);
  tally.step();
  expect(tally.of("a")).toMatchObject([{ count: 2, rows: [] }]);
  looked.add("a");
  tally.touch("a");
  tally.step();
  expect(tally.of("a")[0]?.rows.map(({ row: { name } }) => name)).toEqual(["p2", "p1"]);
  tally.releaseRows("a");
  expect(tally.of("a")).toMatchObject([{ count: 2, rows: [] }]);
});

test("a cluster that is forgotten while it is being counted stays forgotten", () => {
  put(
    "a",
    "pods",
    Array.from({ length: 6_000 }, (_, at) => row("a", "pods", `p${at}`, "unhealthy")),
  );
  tally.step();
  picture.removeCluster("a");
  tally.forget("a");
  tally.step();
  expect(tally.of("a")).toEqual([]);
});
