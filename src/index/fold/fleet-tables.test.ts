// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { bucketCode, sessionBucketCount } from "../../model/rows/bucket.ts";
import { sumDigests } from "../../model/rows/digest.ts";
import type { Row, RowDelete } from "../../model/rows/row.ts";
import { bucketOf, digestOf } from "../../model/rows/testing/key-digests.ts";
import type { PartForm } from "../table/apply-part.ts";
import { ClusterTexts } from "../table/cluster-texts.ts";
import { FleetTables } from "./fleet-tables.ts";
import type { FoldedChange } from "./packed-changes.ts";
import { type FoldObject, podBatch, podRow, uidOf } from "./testing/fold-rows.ts";

const delta: PartForm = { kind: "delta" };

class Bench {
  readonly tables = new FleetTables();
  #position = 0;

  fold(rows: readonly Row[], deletes: readonly RowDelete[] = [], form = delta): readonly FoldedChange[] {
    this.#position += 1;
    const part = { resource: "pods", form, batch: podBatch(rows, deletes) };
    const fold = this.tables.prepare("east", [part]);
    for (const _ of fold.steps());
    const before = fold.sizeAfter;
    const changes = fold.commit({ position: this.#position, receivedAtMs: this.#position });
    expect(fold.changing.length > 0).toBe(changes.length > 0);
    expect(this.tables.size("east").bytes).toBeLessThanOrEqual(before.bytes);
    expect(this.tables.rowCount("east")).toBeLessThanOrEqual(before.rowCount);
    return changes.list();
  }

  rows(): readonly Row[] {
    return [...(this.tables.snapshot("east", "pods")?.rows() ?? [])];
  }
}

function summary(changes: readonly FoldedChange[]): readonly string[] {
  return changes.map(({ kind, name, uid }) => `${kind} ${name} ${Number.parseInt(uid.slice(-12), 16)}`);
}

describe("the tables of the fleet", () => {
  test("[N-28] what was added, changed and removed is reported, by content and uid", () => {
    const bench = new Bench();
    const [a, b] = [podRow({ name: "a", uid: uidOf(1) }), podRow({ name: "b", uid: uidOf(2) })];
    expect(summary(bench.fold([a, b]))).toEqual(["added a 1", "added b 2"]);
    expect(bench.fold([a, b])).toEqual([]);
    const changed = podRow({ name: "a", uid: uidOf(1), status: "unhealthy" });
    const [change, ...others] = bench.fold([changed, b]);
    expect([change, others]).toEqual([
      {
        kind: "changed",
        resource: "pods",
        namespace: "default",
        name: "a",
        uid: uidOf(1),
        oldStatus: "healthy",
        status: "unhealthy",
      },
      [],
    ]);
    expect(summary(bench.fold([podRow({ name: "b", uid: uidOf(3) })]))).toEqual(["removed b 2", "added b 3"]);
    expect(summary(bench.fold([], [{ namespace: "default", name: "a", uid: uidOf(1) }]))).toEqual(["removed a 1"]);
    expect(bench.rows().map(({ name }) => name)).toEqual(["b"]);
  });

  test("a delete names its object: a later one under the same key stays (L4)", () => {
    const bench = new Bench();
    bench.fold([podRow({ name: "a", uid: uidOf(2) })]);
    expect(bench.fold([], [{ namespace: "default", name: "a", uid: uidOf(1) }])).toEqual([]);
    const later = podRow({ name: "a", uid: uidOf(3) });
    expect(summary(bench.fold([later], [{ namespace: "default", name: "a", uid: uidOf(2) }]))).toEqual([
      "removed a 2",
      "added a 3",
    ]);
  });

  test("[L4] replacing a bucket removes what it does not name, in that bucket and nowhere else", () => {
    const bench = new Bench();
    const pods = Array.from({ length: 300 }, (_, at) => podRow({ name: `pod-${at}`, uid: uidOf(at) }));
    bench.fold(pods);
    const bucket = bucketOf(pods[0] ?? { namespace: "", name: "" }, sessionBucketCount);
    const inside = pods.filter((pod) => bucketOf(pod, sessionBucketCount) === bucket);
    const form: PartForm = { kind: "replace", bucket: bucketCode(sessionBucketCount, bucket) };
    expect(bench.fold(inside, [], form)).toEqual([]);
    expect(bench.fold([], [], form).map(({ kind }) => kind)).toEqual(inside.map(() => "removed"));
    expect(bench.rows()).toHaveLength(pods.length - inside.length);
    const whole: PartForm = { kind: "replace", bucket: bucketCode(1, 0) };
    expect(bench.fold([podRow({ name: "only" })], [], whole)).toHaveLength(pods.length - inside.length + 1);
  });

  test("[SE24] digests of kind and buckets are those of the rows", () => {
    const bench = new Bench();
    const pods = Array.from({ length: 100 }, (_, at) => podRow({ name: `pod-${at}` }));
    bench.fold(pods);
    bench.fold(pods.slice(0, 50).map(({ name }) => podRow({ name, phase: "Failed" })));
    const expected = digestOf(bench.rows().map(({ rowHash }) => rowHash));
    expect(bench.tables.kindDigest("east", "pods")).toEqual(expected);
    expect(bench.tables.kindFacts("east", "pods")).toMatchObject({ kind: "Pod", rowCount: 100, digest: expected });
    expect(sumDigests(bench.tables.bucketDigests("east", "pods"))).toEqual(expected);
  });

  test("a row is found by its key, and reads as it was sent", () => {
    const bench = new Bench();
    const pod = podRow({ name: "a", namespace: "web", replicas: 7 });
    bench.fold([pod, podRow({ name: "b" })]);
    expect(bench.tables.getRow("east", "pods", { namespace: "web", name: "a" })).toEqual(pod);
    expect(bench.tables.getRow("east", "pods", { namespace: "", name: "a" })).toBeUndefined();
    expect(bench.tables.getRow("west", "pods", { namespace: "web", name: "a" })).toBeUndefined();
  });

  test("the worst rows come by status, then namespace, then name", () => {
    const bench = new Bench();
    const fold = (...objects: readonly FoldObject[]): void => void bench.fold(objects.map(podRow));
    fold(
      { namespace: "web", name: "a", status: "unhealthy" },
      { namespace: "web", name: "b", status: "degraded" },
      { namespace: "web", name: "c" },
    );
    fold({ namespace: "api", name: "z", status: "unhealthy" }, { namespace: "web", name: "0", status: "unhealthy" });
    const worst = (limit: number): readonly string[] =>
      bench.tables
        .worstRows("east", "pods", { status: "degraded", limit })
        .map(({ namespace, name }) => `${namespace}/${name}`);
    expect(worst(10)).toEqual(["api/z", "web/0", "web/a", "web/b"]);
    expect(worst(2)).toEqual(["api/z", "web/0"]);
    expect(worst(0)).toEqual([]);
    expect(bench.tables.troubledSinceMs("east", "pods", { namespace: "web", name: "a" })).toBe(1);
    expect(bench.tables.summarizeKinds("east")).toMatchObject([{ troubledSinceMs: 1, statusCounts: { degraded: 1 } }]);
  });

  test("[L2] a snapshot stays as it was, whatever is folded while it is read", () => {
    const bench = new Bench();
    bench.fold([podRow({ name: "a" }), podRow({ name: "b" })]);
    const snapshot = bench.tables.snapshot("east", "pods");
    const names: string[] = [];
    for (const { name } of snapshot?.rows() ?? []) {
      names.push(name);
      bench.fold([], [{ namespace: "default", name: "b", uid: uidOf(1) }]);
    }
    expect(names).toEqual(["a", "b"]);
    expect(bench.rows()).toHaveLength(1);
  });

  test("[SE57] the size that is announced is no less than the size afterwards", () => {
    const bench = new Bench();
    const name = (at: number): string => `${"long-name-".repeat(20)}${at}`;
    for (let round = 0; round < 12; round += 1)
      bench.fold(Array.from({ length: 40 }, (_, at) => podRow({ name: name(round * 40 + at), message: name(at) })));
    expect(bench.tables.size("east").rowCount).toBe(480);
  });

  test("a cluster that was never seen, or was removed, has nothing", () => {
    const bench = new Bench();
    bench.fold([podRow({ name: "a" })]);
    bench.tables.setRbacComplete("east", true);
    bench.tables.setRbacComplete("west", false);
    expect([bench.tables.clusters(), bench.tables.isRbacComplete("east")]).toEqual([["east"], true]);
    bench.tables.setFields("east", { cluster: "east", region: "eu", environment: "prod" });
    expect(bench.tables.get("east")?.fields.region).toBe("eu");
    bench.tables.removeCluster("east");
    expect(bench.tables.clusterIds()).toEqual([]);
    expect(bench.tables.size("east")).toEqual({ rowCount: 0, kindCount: 0, bytes: 0 });
    expect(bench.tables.snapshot("east", "pods")).toBeUndefined();
    expect(bench.tables.isRbacComplete("east")).toBe(false);
  });

  test("[L14] texts of a fold that is not committed are dropped with it", () => {
    const bench = new Bench();
    bench.fold([podRow({ name: "a" })]);
    const counts = (): readonly number[] => {
      const { texts, maps, lists, owners, namespaceCount } = bench.tables.get("east")?.texts ?? new ClusterTexts();
      return [texts.count, maps.count, lists.count, owners.count, namespaceCount];
    };
    const before = counts();
    for (let at = 0; at < 5; at += 1) {
      const rows = Array.from({ length: 9 }, (_, row) => podRow({ name: `pod-${at}`, namespace: `ns-${row}` }));
      const part = { resource: "pods", form: delta, batch: podBatch(rows) };
      for (const _ of bench.tables.prepare("east", [part], true).steps());
    }
    expect(counts()).not.toEqual(before);
    bench.fold([podRow({ name: "a" })]);
    expect(counts()).toEqual(before);
  });
});
