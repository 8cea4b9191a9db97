// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { bucketCode, sessionBucketCount } from "../../model/rows/bucket.ts";
import { sumDigests } from "../../model/rows/digest.ts";
import type { Row, RowDelete } from "../../model/rows/row.ts";
import { bucketOf, digestOf } from "../../model/rows/testing/key-digests.ts";
import type { SegmentForm } from "../../store/fleet-log/fleet-log.ts";
import { hasher } from "../fleet/testing/test-fleet.ts";
import { makeBatch, makeRow, type TestObject, uidOfNumber } from "../fleet/testing/test-rows.ts";
import type { RowChange } from "./fleet-reader.ts";
import { MemoryFleetRows } from "./memory-fleet-rows.ts";

const delta: SegmentForm = { kind: "delta" };

class Bench {
  readonly fleetRows = new MemoryFleetRows(hasher);
  #position = 0;

  pod(object: TestObject): Row {
    return makeRow("east", "pods", object);
  }

  fold(rows: readonly Row[], deletes: readonly RowDelete[] = [], form = delta): readonly RowChange[] {
    this.#position += 1;
    const part = { resource: "pods", form, batch: makeBatch("pods", rows, deletes) };
    const fold = this.fleetRows.prepare("east", [part]);
    for (const _ of fold.steps());
    const changes = fold.commit({ position: this.#position, receivedAtMs: this.#position });
    expect(fold.changing.length > 0).toBe(changes.length > 0);
    return changes.list();
  }

  rows(): readonly Row[] {
    return [...(this.fleetRows.snapshot("east", "pods")?.rows() ?? [])];
  }
}

function summary(changes: readonly RowChange[]): readonly string[] {
  return changes.map(({ kind, name, uid }) => `${kind} ${name} ${Number.parseInt(uid.slice(-12), 16)}`);
}

describe("plain picture", () => {
  test("[N-28] tells what was added, changed and removed, by content and uid", () => {
    const bench = new Bench();
    const [a, b] = [bench.pod({ name: "a", uid: uidOfNumber(1) }), bench.pod({ name: "b", uid: uidOfNumber(2) })];
    expect(summary(bench.fold([a, b]))).toEqual(["added a 1", "added b 2"]);
    expect(bench.fold([a, b])).toEqual([]);
    const changed = bench.pod({ name: "a", uid: uidOfNumber(1), phase: "Failed" });
    expect(summary(bench.fold([changed, b]))).toEqual(["changed a 1"]);
    expect(summary(bench.fold([bench.pod({ name: "b", uid: uidOfNumber(3) })]))).toEqual(["removed b 2", "added b 3"]);
    expect(summary(bench.fold([], [{ namespace: "default", name: "a", uid: uidOfNumber(1) }]))).toEqual([
      "removed a 1",
    ]);
    expect(bench.rows().map(({ name }) => name)).toEqual(["b"]);
  });

  test("a delete names its object: a later one under the same key stays (L4)", () => {
    const bench = new Bench();
    bench.fold([bench.pod({ name: "a", uid: uidOfNumber(2) })]);
    expect(bench.fold([], [{ namespace: "default", name: "a", uid: uidOfNumber(1) }])).toEqual([]);
    expect(
      summary(
        bench.fold(
          [bench.pod({ name: "a", uid: uidOfNumber(3) })],
          [{ namespace: "default", name: "a", uid: uidOfNumber(2) }],
        ),
      ),
    ).toEqual(["removed a 2", "added a 3"]);
  });

  test("[L4] replacing a bucket removes what it does not name, in that bucket and nowhere else", () => {
    const bench = new Bench();
    const pods = Array.from({ length: 300 }, (_, at) => bench.pod({ name: `pod-${at}`, uid: uidOfNumber(at) }));
    bench.fold(pods);
    const bucket = bucketOf(pods[0] ?? { namespace: "", name: "" }, sessionBucketCount);
    const inside = pods.filter((pod) => bucketOf(pod, sessionBucketCount) === bucket);
    const form: SegmentForm = { kind: "replace", bucket: bucketCode(sessionBucketCount, bucket) };
    expect(bench.fold(inside, [], form)).toEqual([]);
    expect(bench.fold([], [], form).map(({ kind }) => kind)).toEqual(inside.map(() => "removed"));
    expect(bench.rows()).toHaveLength(pods.length - inside.length);
    const whole: SegmentForm = { kind: "replace", bucket: bucketCode(1, 0) };
    expect(bench.fold([bench.pod({ name: "only" })], [], whole)).toHaveLength(pods.length - inside.length + 1);
  });

  test("digests of kind and buckets are those of the rows", () => {
    const bench = new Bench();
    const pods = Array.from({ length: 100 }, (_, at) => bench.pod({ name: `pod-${at}` }));
    bench.fold(pods);
    bench.fold(pods.slice(0, 50).map(({ name }) => bench.pod({ name, phase: "Failed" })));
    const expected = digestOf(bench.rows().map(({ rowHash }) => rowHash));
    expect(bench.fleetRows.kindDigest("east", "pods")).toEqual(expected);
    expect(sumDigests(bench.fleetRows.bucketDigests("east", "pods"))).toEqual(expected);
  });

  test("a row is found by its key, and reads as it was sent", () => {
    const bench = new Bench();
    const pod = bench.pod({ name: "a", namespace: "web", replicas: 7 });
    bench.fold([pod, bench.pod({ name: "b" })]);
    expect(bench.fleetRows.getRow("east", "pods", { namespace: "web", name: "a" })).toEqual(pod);
    expect(bench.fleetRows.getRow("east", "pods", { namespace: "", name: "a" })).toBeUndefined();
    expect(bench.fleetRows.getRow("west", "pods", { namespace: "web", name: "a" })).toBeUndefined();
  });

  test("the worst rows come by status, then namespace, then name, wherever they lie", () => {
    const bench = new Bench();
    bench.fold([
      bench.pod({ namespace: "web", name: "a", status: "unhealthy" }),
      bench.pod({ namespace: "web", name: "b", status: "degraded" }),
      bench.pod({ namespace: "web", name: "c" }),
    ]);
    bench.fold([
      bench.pod({ namespace: "api", name: "z", status: "unhealthy" }),
      bench.pod({ namespace: "web", name: "0", status: "unhealthy" }),
    ]);
    const worst = (limit: number): readonly string[] =>
      bench.fleetRows
        .worstRows("east", "pods", { status: "degraded", limit })
        .map(({ namespace, name }) => `${namespace}/${name}`);
    expect(worst(10)).toEqual(["api/z", "web/0", "web/a", "web/b"]);
    expect(worst(2)).toEqual(["api/z", "web/0"]);
    expect(worst(0)).toEqual([]);
  });

  test("a snapshot stays as it was, whatever is folded while it is read", () => {
    const bench = new Bench();
    bench.fold([bench.pod({ name: "a" }), bench.pod({ name: "b" })]);
    const snapshot = bench.fleetRows.snapshot("east", "pods");
    const names: string[] = [];
    for (const { name } of snapshot?.rows() ?? []) {
      names.push(name);
      bench.fold([], [{ namespace: "default", name: "b", uid: uidOfNumber(1) }]);
    }
    expect(names).toEqual(["a", "b"]);
    expect(bench.rows()).toHaveLength(1);
  });

  test("many small changes end in few batches, and memory follows the rows, not the changes", () => {
    const bench = new Bench();
    const names = Array.from({ length: 100 }, (_, at) => `pod-${at}`);
    bench.fold(names.map((name) => bench.pod({ name })));
    for (let round = 0; round < 600; round += 1)
      bench.fold([bench.pod({ name: names[round % names.length] ?? "", replicas: round })]);
    const groups = bench.fleetRows.snapshot("east", "pods")?.groups ?? [];
    expect(bench.rows()).toHaveLength(names.length);
    expect(groups.length).toBeLessThan(40);
  });
});
