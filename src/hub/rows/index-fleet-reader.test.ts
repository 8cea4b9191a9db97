// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { silentLogger } from "../../base/log.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import type { Row } from "../../model/rows/row.ts";
import type { Subject } from "../../model/subject.ts";
import { MemoryFleetLog } from "../../store/testing/memory-fleet-log.ts";
import { hubSubject } from "../access/hub-subject.ts";
import { hasher, plainCodec } from "../fleet/testing/test-fleet.ts";
import { encodeRows, makeRow } from "../fleet/testing/test-rows.ts";
import { createInThreadIndex, engineOf } from "../index/testing/in-thread-index.ts";
import { ChangeFeed } from "./change-feed.ts";
import type { FleetReader, FlushChanges, KindPage, WantedChanges } from "./fleet-reader.ts";
import { FleetRows } from "./fleet-rows.ts";
import { IndexFleetReader } from "./index-fleet-reader.ts";

type Statuses = Readonly<Record<string, Row["status"]>>;

const admin: Subject = { user: "ada", groups: ["admins", "system:masters"] };
const viewer: Subject = { user: "vic", groups: ["viewers"] };

/** The cluster `a` with these rows of each kind; members of `admins` may list and watch rows. */
async function openReader(kinds: Readonly<Record<string, Statuses>>) {
  const clock = new ManualClock();
  const index = createInThreadIndex({ codec: plainCodec, hasher, pause: () => Promise.resolve(), clock });
  /** The changes that the index was asked to filter. */
  const asked: string[] = [];
  const engine = engineOf(index);
  const filterChanges = engine.filterChanges.bind(engine);
  engine.filterChanges = (by, cluster, changes) => {
    asked.push(...changes.map(({ resource, name }) => `${cluster} ${resource} ${name}`));
    return filterChanges(by, cluster, changes);
  };
  const rows = new FleetRows(index, silentLogger);
  const feed = new ChangeFeed("feed");
  const grants = { admins: true };
  const authorizer = {
    isAllowed: ({ groups }: Subject) => grants.admins && groups.includes("admins"),
  };
  const fold = async (resource: string, made: readonly Row[], position: number): Promise<void> => {
    const bytes = await plainCodec.compress(encodeRows(resource, made));
    await rows.prepare("a", [{ resource, replacedBucket: 0, bytes }]);
    const place = { position, receivedAtMs: 999 + position };
    feed.push("a", place.receivedAtMs, await rows.commit("a", place, { incarnation: "inc", seq: position }));
  };
  for (const [at, [resource, statuses]] of Object.entries(kinds).entries()) {
    const made = Object.entries(statuses).map(([name, status]) => ({ ...makeRow("a", resource, { name }), status }));
    await fold(resource, made, at + 1);
  }
  rows.setRbacComplete("a", true);
  return {
    rows,
    feed,
    fold,
    grants,
    asked,
    clock,
    reader: new IndexFleetReader({
      clock,
      index,
      fleetLog: createInThreadPort(new MemoryFleetLog({ clock: new ManualClock() })),
      rows,
      feed,
      clusterIds: () => ["a"],
      authorizer,
      log: silentLogger,
    }),
  };
}

const never = new AbortController().signal;
const worst = { status: "degraded", limit: 500 } as const;
const keyOf = (name: string) => ({ cluster: "a", resource: "pods", namespace: "default", name });

async function toArray<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

async function firstOf<T>(values: AsyncIterable<T>): Promise<T | undefined> {
  for await (const value of values) return value;
  return undefined;
}

/** Every read that shows rows, by name. Each rejects, or resolves to what it shows. */
function readsOf(reader: FleetReader, subject: Subject): Readonly<Record<string, () => Promise<unknown>>> {
  const changes = reader.changes(subject);
  return {
    clusters: () => reader.listClusters(subject),
    "worst rows": () => reader.listWorstRows(subject, "a", worst),
    statuses: () => reader.getStatuses(subject, [keyOf("p1")]),
    snapshot: async () => toArray((await reader.snapshot(subject, "a")).pages()),
    changes: () => firstOf(changes.read(changes.oldest, never)),
    "recent changes": () => toArray(changes.readBack(changes.cursor.position)),
  };
}

describe("[L16] [L17] who may read", () => {
  test("a subject that may not list rows gets no summary, and every other read is PERMISSION_DENIED", async () => {
    const { reader } = await openReader({ pods: { p1: "unhealthy" } });
    expect(await reader.summarize(viewer, "a")).toBeUndefined();
    for (const [name, read] of Object.entries(readsOf(reader, viewer)))
      await expect(read(), name).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    const shown = Object.values(readsOf(reader, admin)).map(async (read) => read());
    const change = { position: 1, changes: [{ kind: "added", name: "p1" }] };
    expect(await Promise.all(shown)).toMatchObject([
      ["a"],
      [{ resource: "pods", row: { name: "p1" } }],
      [{ status: "unhealthy" }],
      [{ resource: "pods", rows: [{ name: "p1" }] }],
      change,
      [change],
    ]);
  });

  test("a user named as the hub is not the hub", async () => {
    const { reader } = await openReader({ pods: { p1: "unhealthy" } });
    expect(await reader.summarize(hubSubject, "a")).toMatchObject({ rowCount: 1 });
    expect(await reader.summarize({ ...hubSubject }, "a")).toBeUndefined();
  });

  test("a watch of changes ends when its subject loses the right", async () => {
    const { reader, grants } = await openReader({ pods: { p1: "healthy" }, nodes: { n1: "healthy" } });
    const changes = reader.changes(admin);
    const watch = changes.read(changes.oldest, never)[Symbol.asyncIterator]();
    expect((await watch.next()).value).toMatchObject({ position: 1, cluster: "a" });
    grants.admins = false;
    await expect(watch.next()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });

  test("a watch of some kinds or clusters has the position of every flush, and asks only about wanted changes", async () => {
    const { reader, asked } = await openReader({ pods: { p1: "healthy" }, nodes: { n1: "healthy" } });
    const read = async (wanted: WantedChanges): Promise<readonly FlushChanges[]> => {
      const changes = reader.changes(admin, wanted);
      return toArray(changes.readBack(changes.cursor.position));
    };
    expect(await read({ resources: new Set(["nodes"]) })).toMatchObject([
      { position: 2, changes: [{ resource: "nodes", name: "n1" }] },
      { position: 1, changes: [] },
    ]);
    expect(asked).toEqual(["a nodes n1"]);
    expect(await read({ clusters: new Set(["b"]) })).toMatchObject([{ changes: [] }, { changes: [] }]);
    expect(asked).toHaveLength(1);
    await read({ clusters: new Set(["a"]), resources: new Set() });
    expect(asked).toHaveLength(3);
  });

  test("[QL16] a live view has the rows of the index, then changes, and ends when its subject loses the right", async () => {
    const { reader, grants, fold, clock } = await openReader({ pods: { p1: "healthy" } });
    const query = { text: "kind:pods", limit: 5, sort: [], facets: [], position: "" };
    const view = reader.queries(admin).watch(query, never)[Symbol.asyncIterator]();
    expect((await view.next()).value).toMatchObject({ isSnapshot: true, rows: [{ row: { name: "p1" } }], places: [0] });
    await fold("pods", [makeRow("a", "pods", { name: "p0" })], 2);
    const next = view.next();
    await clock.advance(1_000);
    expect((await next).value).toMatchObject({
      isSnapshot: false,
      rows: [{ row: { name: "p0" } }],
      places: [0],
      total: 2,
    });
    grants.admins = false;
    await expect(view.next()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    const refused = reader.queries(viewer).watch(query, never)[Symbol.asyncIterator]();
    await expect(refused.next()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });

  test("names of kinds are visible to every subject, as in Kubernetes' discovery", async () => {
    const { reader } = await openReader({ pods: { p1: "healthy" } });
    expect(await reader.listKinds(viewer, "a")).toMatchObject([{ resource: "pods", kind: "Thing" }]);
    expect(await reader.listDefinedNames(viewer, "a")).toEqual(new Map());
  });

  test("a read without a subject does not compile", () => {
    const uses = (reader: FleetReader): readonly unknown[] => [
      // @ts-expect-error -- the subject is missing
      reader.listClusters(),
      // @ts-expect-error -- the subject is missing
      reader.summarize("a"),
      // @ts-expect-error -- the subject is missing
      reader.listWorstRows("a", worst),
      // @ts-expect-error -- the subject is missing
      reader.getStatuses([keyOf("p1")]),
      // @ts-expect-error -- the subject is missing
      reader.snapshot("a"),
      // @ts-expect-error -- the subject is missing
      reader.changes(),
      // @ts-expect-error -- the subject is missing
      reader.listKinds("a"),
      // @ts-expect-error -- the subject is missing
      reader.listDefinedNames("a"),
    ];
    expect(uses).toBeTypeOf("function");
  });
});

describe("[L2] before the cluster's RBAC rows are complete", () => {
  test("nothing of its rows is shown: no status, row or change; a list says why", async () => {
    const { reader, rows } = await openReader({ pods: { p1: "unhealthy" } });
    rows.setRbacComplete("a", false);
    const reads = readsOf(reader, hubSubject);
    expect(await reader.summarize(hubSubject, "a")).toMatchObject({
      areRowsShown: false,
      rowCount: 1,
      kinds: [{ resource: "pods", rowCount: 1, statusCounts: undefined, troubledSinceMs: undefined }],
    });
    expect(await reads["worst rows"]?.()).toEqual([]);
    expect(await reads["statuses"]?.()).toEqual([undefined]);
    expect(await reads["changes"]?.()).toMatchObject({ position: 1, changes: [] });
    expect(await reads["recent changes"]?.()).toMatchObject([{ position: 1, changes: [] }]);
    const refusal = reads["snapshot"]?.();
    await expect(refusal).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(refusal).rejects.toThrow("rows of a are shown when its RBAC objects are complete");
  });

  test("a cluster without rows is an empty list", async () => {
    const { reader } = await openReader({});
    expect(await toArray((await reader.snapshot(admin, "never-seen")).pages())).toEqual([]);
  });
});

describe("answers", () => {
  test("[L9] a summary has the counts by status, and how fresh each kind is", async () => {
    const { reader } = await openReader({ pods: { p1: "unhealthy", p2: "healthy" }, nodes: { n1: "degraded" } });
    const summary = await reader.summarize(admin, "a");
    expect(summary).toMatchObject({ areRowsShown: true, rowCount: 3 });
    expect(summary?.kinds).toMatchObject([
      { resource: "pods", rowCount: 2, position: 1, receivedAtMs: 1_000, troubledSinceMs: 1_000 },
      { resource: "nodes", rowCount: 1, position: 2, receivedAtMs: 1_001, troubledSinceMs: 1_001 },
    ]);
    expect(summary?.kinds[0]?.statusCounts).toMatchObject({ unhealthy: 1, healthy: 1, degraded: 0 });
    expect(await reader.summarize(admin, "b")).toMatchObject({ areRowsShown: false, rowCount: 0, kinds: [] });
  });

  test("a snapshot is of one moment, in pages of at most 500 rows", async () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`p${at}`, "healthy"] as const));
    const { reader, rows, fold } = await openReader({ pods: many, nodes: { n1: "healthy" } });
    const snapshot = await reader.snapshot(admin, "a");
    await fold("pods", [makeRow("a", "pods", { name: "later" })], 9);
    await rows.removeCluster("a");
    const sizeOf = ({ resource, rows: some }: KindPage): string => `${resource} ${some.length}`;
    expect((await toArray(snapshot.pages())).map(sizeOf)).toEqual(["pods 500", "pods 500", "pods 1", "nodes 1"]);
    expect(snapshot.rowCount).toBe(1_002);
    const { reader: other } = await openReader({ pods: many, nodes: { n1: "healthy" } });
    const ofNodes = await other.snapshot(admin, "a", new Set(["nodes", "jobs"]));
    expect((await toArray(ofNodes.pages())).map(sizeOf)).toEqual(["nodes 1"]);
  });

  test("the worst rows of all kinds come first, those of one status by kind and key", async () => {
    const { reader } = await openReader({
      pods: { z: "unhealthy", b: "degraded", a: "degraded" },
      nodes: { n2: "degraded", n1: "unhealthy", n3: "healthy" },
    });
    const namesOf = async (limit: number): Promise<readonly string[]> =>
      (await reader.listWorstRows(admin, "a", { ...worst, limit }))?.map(
        ({ resource, row }) => `${resource} ${row.name}`,
      ) ?? [];
    expect(await namesOf(500)).toEqual(["nodes n1", "pods z", "nodes n2", "pods a", "pods b"]);
    expect(await namesOf(2)).toEqual(["nodes n1", "pods z"]);
  });

  test("[L17] rows for the viewers of one access key are not read by a subject that has another one", async () => {
    const { reader } = await openReader({ pods: { p1: "unhealthy" } });
    const accessKey = (await reader.listAccessKeys([admin]))[0]?.get("a") ?? "";
    expect(await reader.summarize(admin, "a")).toMatchObject({ accessKey });
    expect(await reader.listWorstRows(admin, "a", { ...worst, accessKey })).toHaveLength(1);
    expect(await reader.listWorstRows(admin, "a", { ...worst, accessKey: "another" })).toBeUndefined();
  });

  test("[PG24] of very many rows the worst 500 are listed", async () => {
    const many = (prefix: string): Statuses =>
      Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`${prefix}${at}`, "degraded"]));
    const { reader } = await openReader({ nodes: many("n"), pods: { ...many("p"), worst: "unhealthy" } });
    const listed = await reader.listWorstRows(admin, "a", worst);
    expect(listed).toHaveLength(500);
    expect(listed?.[0]?.row.name).toBe("worst");
    expect(listed?.[0]?.troubledSinceMs).toBe(1_001);
  });

  test("rows that together exceed a message are cut to one", async () => {
    const { reader, fold } = await openReader({});
    const large = Array.from({ length: 20 }, (_, at) => ({
      ...makeRow("a", "pods", { name: `p${at}` }),
      status: "unhealthy" as const,
      labels: new Map([["large", `${at}`.padEnd(60_000, "x")]]),
    }));
    await fold("pods", large, 1);
    expect(await reader.listWorstRows(admin, "a", worst)).toHaveLength(17);
    expect((await toArray((await reader.snapshot(admin, "a")).pages())).map((page) => page.rows.length)).toEqual([
      17, 3,
    ]);
  });

  test("statuses are those of present objects, in order of the keys", async () => {
    const { reader } = await openReader({ pods: { p1: "unhealthy", p2: "healthy" } });
    const found = await reader.getStatuses(admin, ["p2", "missing", "p1"].map(keyOf));
    expect(found.map((each) => each?.status)).toEqual(["healthy", undefined, "unhealthy"]);
    const tooMany = Array.from({ length: 2_001 }, (_, at) => keyOf(`p${at}`));
    await expect(reader.getStatuses(admin, tooMany)).rejects.toThrow("a read of statuses has a bound");
  });
});
