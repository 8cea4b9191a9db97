// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { openMemoryLog } from "../../../test/support/store-fleet-log.ts";
import type { Subject } from "../../model/subject.ts";
import { hubSubject } from "../access/hub-subject.ts";
import { bindingTo, contentOf, viewerRole } from "../index/testing/live-rig.ts";
import { type FleetQueries, type FleetQuery, type FoundFleetRow, plainQuery } from "./fleet-queries.ts";
import { PastHub } from "./testing/past-hub.ts";

const ops: Subject = { user: "ops", groups: [] };
/** Sees only namespace `a`. */
const dev: Subject = { user: "dev", groups: [] };

const never = new AbortController().signal;
const [uid, otherUid] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"] as const;
const pod = (name: string, namespace = "a", reason = "", own: string = uid) =>
  contentOf(name, { namespace, reason, uid: own, ...(reason === "Crash" ? { status: "unhealthy" } : {}) });

interface Told {
  readonly hub: PastHub;
  /** Texts of moments: all Pods exist; one was changed; some were deleted. */
  readonly moments: readonly [string, string, string];
}

/** Pods `keep` and `gone` in the namespaces a and b. `keep` crashes, then `gone` is deleted. */
async function openHub(pastBytes?: number): Promise<Told> {
  const hub = new PastHub(await openMemoryLog(), pastBytes);
  const roles = [viewerRole("view", ["*"]), bindingTo("User", "ops", "view"), bindingTo("User", "dev", "view", "a")];
  await hub.grant("east", roles);
  const all = ["a", "b"].flatMap((namespace) => ["keep", "gone"].map((name) => pod(name, namespace)));
  await hub.flush("east", "pods", all);
  const first = next(hub);
  await hub.flush("east", "pods", [pod("keep", "a", "Crash"), pod("keep", "b", "Crash")]);
  const second = next(hub);
  await hub.flush("east", "pods", [], [pod("gone", "a"), pod("gone", "b")]);
  return { hub, moments: [first, second, next(hub)] };
}

/** The text of this moment. Later flushes come a second later. */
function next(hub: PastHub): string {
  const text = new Date(hub.nowMs).toISOString();
  hub.wait(1_000);
  return text;
}

const namesOf = (rows: readonly FoundFleetRow[]): readonly string[] =>
  rows.map(({ row }) => `${row.namespace}/${row.name}${row.reason === "" ? "" : ` ${row.reason}`}`);

const list = (queries: FleetQueries, query: Partial<FleetQuery>) =>
  queries.list({ ...plainQuery, text: "kind:pods", limit: 10, ...query });

const deleted = { since: "", isOnly: false };

test("[QL30] pages of a relative moment stay at the moment of the first one, in any order", async () => {
  const { hub } = await openHub();
  const queries = hub.queries(ops);
  for (const sort of [[], ["-name"]]) {
    const asked = { text: "kind:pods at:now-3s", limit: 3, sort };
    const page = await list(queries, asked);
    expect([page.rows.length, page.total]).toEqual([3, 4]);
    hub.wait(1_500);
    const last = await list(queries, { ...asked, cursor: page.next });
    expect(last.moment?.atMs).toBe(page.moment?.atMs);
    expect(new Set(namesOf([...page.rows, ...last.rows])).size).toBe(4);
    await expect(list(hub.queries(hubSubject), { ...asked, cursor: page.next })).rejects.toMatchObject({
      message: expect.stringContaining("the cursor is not one of this query"),
    });
    hub.wait(-1_500);
  }
});

test("[QL30] groups, problems and comparisons are about the moment too", async () => {
  const { hub, moments } = await openHub();
  await hub.grant("west", [viewerRole("view", ["*"]), bindingTo("User", "ops", "view")]);
  await hub.flush("west", "pods", [pod("keep", "a", "Crash")]);
  const now = next(hub);
  const queries = hub.queries(ops);
  const [before, crashed] = moments;
  const { groups } = await list(queries, { text: `at:${crashed} kind:pods`, groupBy: ["reason"] });
  expect(groups.map(({ values, count }) => [values[0], count])).toEqual([
    ["Crash", 2],
    [undefined, 2],
  ]);
  const problemsAt = async (text: string) =>
    (
      await queries.listProblems({ text, limit: 10, includeDegraded: false, problemId: "", cursor: "" }, never)
    ).problems.map(({ objectCount }) => objectCount);
  expect([await problemsAt(`at:${before}`), await problemsAt(`at:${crashed}`), await problemsAt("")]).toEqual([
    [],
    [2],
    [3],
  ]);
  const compareAt = async (text: string) => {
    const asked = { text, clusters: [], goldenCluster: "", differingOnly: true, limit: 10, cursor: "" };
    return (await queries.compare(asked, never)).objects.map(({ namespace, name, missingIn, unknownIn }) => {
      return [`${namespace}/${name}`, missingIn.join(), unknownIn.join()];
    });
  };
  expect(await compareAt(`kind:pods ns:b at:${now}`)).toEqual([["b/keep", "west", ""]]);
  // Nothing was known of `west`, so it is not missing there.
  expect(await compareAt(`kind:pods at:${before}`)).toEqual([]);
});

describe("[QL32] deleted objects", () => {
  test("come alone or with the others, sorted, counted and paged as one answer", async () => {
    const { hub } = await openHub();
    const queries = hub.queries(ops);
    const only = await list(queries, { deleted: { since: "", isOnly: true }, facets: ["namespace"] });
    expect(namesOf(only.rows)).toEqual(["a/gone", "b/gone"]);
    expect(only.rows.map(({ kind, removedAtMs }) => [kind, removedAtMs])).toEqual([
      ["Pod", hub.nowMs - 1_000],
      ["Pod", hub.nowMs - 1_000],
    ]);
    const all = { deleted, limit: 3, facets: ["namespace"] };
    const page = await list(queries, all);
    const last = await list(queries, { ...all, cursor: page.next });
    expect(namesOf([...page.rows, ...last.rows])).toEqual(["a/gone", "a/keep Crash", "b/gone", "b/keep Crash"]);
    expect([page.total, page.facets[0]?.values.map(({ count }) => count)]).toEqual([4, [2, 2]]);
    expect(last.rows.map(({ removedAtMs }) => removedAtMs)).toEqual([undefined]);
    await expect(list(queries, { ...all, deleted: undefined, cursor: page.next })).rejects.toThrow("not one of this");
  });

  test("are no longer listed after they were created again, nor before the time that is asked for", async () => {
    const { hub } = await openHub();
    await hub.flush("east", "pods", [pod("gone", "a", "", otherUid)]);
    const queries = hub.queries(ops);
    expect(namesOf((await list(queries, { deleted: { since: "", isOnly: true } })).rows)).toEqual(["b/gone"]);
    hub.wait(10_000);
    expect((await list(queries, { deleted: { since: "now-5s", isOnly: true } })).total).toBe(0);
  });
});

test("[QL31] changes are counted over all pages, and a page keeps the moments of the first one", async () => {
  const { hub, moments } = await openHub();
  const queries = hub.queries(ops);
  const asked = { text: "kind:pods", from: moments[0], to: "", limit: 3, cursor: "" };
  const page = await queries.listChanges(asked, never);
  hub.wait(1);
  await hub.flush("east", "pods", [pod("new")]);
  hub.wait(1_000);
  const last = await queries.listChanges({ ...asked, cursor: page.next }, never);
  expect([page.counts, last.counts, last.toMs, last.next]).toEqual([
    { entered: 0, left: 2, changed: 2 },
    page.counts,
    page.toMs,
    "",
  ]);
  const found = [...page.changes, ...last.changes].map(({ namespace, name, change, fields }) => {
    return `${change} ${namespace}/${name} ${fields.map(({ field, from, to }) => `${field}:${String(from)}>${String(to)}`).join()}`;
  });
  expect(found).toEqual([
    "left a/gone ",
    "changed a/keep reason:>Crash,status:healthy>unhealthy",
    "left b/gone ",
    "changed b/keep reason:>Crash,status:healthy>unhealthy",
  ]);
  await expect(queries.listChanges({ ...asked, from: "now-1h", cursor: page.next }, never)).rejects.toThrow(
    "the cursor is not one of this query",
  );
});

describe("[L17] a user learns nothing of the past of objects that are hidden now", () => {
  test("in rows, totals, facets, changes, deletions and times of receipt", async () => {
    const { hub, moments } = await openHub();
    const queries = hub.queries(dev);
    const past = await list(queries, { text: `kind:pods at:${moments[0]}`, facets: ["namespace"] });
    expect([namesOf(past.rows), past.total, past.facets[0]?.values]).toEqual([
      ["a/gone", "a/keep"],
      2,
      [{ value: "a", count: 2 }],
    ]);
    // The newest change of the kind may be one of a hidden object.
    expect([...(past.moment?.receivedAtMs ?? [])]).toEqual([["east", undefined]]);
    for (const isOnly of [true, false]) {
      const answer = await list(queries, { deleted: { since: "", isOnly } });
      expect(namesOf(answer.rows)).toEqual(isOnly ? ["a/gone"] : ["a/gone", "a/keep Crash"]);
      expect(answer.total).toBe(answer.rows.length);
    }
    const asked = { text: "", from: moments[0], to: moments[2], limit: 50, cursor: "" };
    const { changes, counts } = await queries.listChanges(asked, never);
    expect(changes.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(["a/gone", "a/keep"]);
    expect(counts).toEqual({ entered: 0, left: 1, changed: 1 });
  });

  test("after a right was revoked, and although it was there at the moment", async () => {
    const { hub, moments } = await openHub();
    await hub.grant("east", [], [bindingTo("User", "dev", "view", "a")]);
    const queries = hub.queries(dev);
    expect((await list(queries, { text: `at:${moments[0]}` })).total).toBe(0);
    expect((await list(queries, { text: "", deleted })).total).toBe(0);
    const asked = { text: "", from: moments[0], to: "", limit: 50, cursor: "" };
    expect((await queries.listChanges(asked, never)).counts).toEqual({ entered: 0, left: 0, changed: 0 });
  });

  test("nor what retention has removed of them", async () => {
    const { hub, moments } = await openHub();
    await hub.grant("east", [], [bindingTo("User", "dev", "view", "a")]);
    await hub.checkpoint("east", "pods");
    await hub.retain(hub.nowMs);
    const text = `kind:pods at:${moments[0]}`;
    await expect(list(hub.queries(ops), { text })).rejects.toMatchObject({ code: "GONE" });
    expect((await list(hub.queries(dev), { text })).total).toBe(0);
  });
});

describe("a question that cannot be answered is refused with one sentence", () => {
  const changes = { text: "", from: "now-1h", to: "", limit: 10, cursor: "" };
  test.each<[string, (queries: FleetQueries) => Promise<unknown>, RegExp]>([
    ["a future moment", (q) => list(q, { text: "at:2090-01-01" }), /2090-.* is in the future: at the hub it is 20/],
    ["no moment", (q) => list(q, { text: "at:soon" }), /query, column 4: "soon" is not a moment/],
    ["`at` in `or`", (q) => list(q, { text: "ns:a or at:now-1h" }), /`at`/],
    ["deleted at a moment", (q) => list(q, { text: "at:now-1h", deleted }), /do not exist now; remove `at`/],
    [
      "deleted for days",
      (q) => list(q, { deleted: { since: "now-2d", isOnly: true } }),
      /at most 24 hours; .* since 20/,
    ],
    [
      "deleted since nonsense",
      (q) => list(q, { deleted: { since: "x", isOnly: true } }),
      /deleted_since, column 1: "x"/,
    ],
    ["changes with `at`", (q) => q.listChanges({ ...changes, text: "at:now-1h" }, never), /remove `at`/],
    [
      "changes backwards",
      (q) => q.listChanges({ ...changes, to: "now-2h" }, never),
      /from an earlier to a later moment/,
    ],
    [
      "changes since nothing",
      (q) => q.listChanges({ ...changes, from: "" }, never),
      /from, column 1: "" is not a moment/,
    ],
    ["changes until later", (q) => q.listChanges({ ...changes, to: "2090-01-01" }, never), /is in the future/],
    ["too many changes", (q) => q.listChanges({ ...changes, limit: 501 }, never), /from 1 to 500/],
    ["nothing to load", (q) => q.loadPast({ text: "ns:a", from: "", to: "" }, () => undefined, never), /add `at`/],
  ])("%s", async (_what, ask, sentence) => {
    const { hub } = await openHub();
    await expect(ask(hub.queries(ops))).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(sentence),
    });
  });
});

test("[QL30] past rows that do not fit into memory are refused, and queries about the present go on", async () => {
  const { hub, moments } = await openHub(1_024);
  const queries = hub.queries(ops);
  await expect(list(queries, { text: `kind:pods at:${moments[0]}` })).rejects.toMatchObject({ code: "TOO_LARGE" });
  await expect(list(queries, { deleted })).rejects.toMatchObject({ code: "TOO_LARGE" });
  expect((await list(queries, {})).total).toBe(2);
});

test("[QL30] loading reports its moments and its progress, and ends when it is cancelled", async () => {
  const { hub, moments } = await openHub();
  const queries = hub.queries(ops);
  const reports: unknown[] = [];
  await queries.loadPast({ text: `at:${moments[0]}`, from: "", to: "" }, (report) => reports.push(report), never);
  const atMs = Date.parse(moments[0]);
  expect(reports).toEqual([
    { readCount: 0, clusterCount: 1, moments: [atMs] },
    { readCount: 1, clusterCount: 1, moments: [atMs] },
  ]);
  const cancelling = new AbortController();
  const loading = queries.loadPast(
    { text: "", from: moments[0], to: moments[1] },
    () => cancelling.abort(new Error("enough")),
    cancelling.signal,
  );
  await expect(loading).rejects.toThrow("enough");
});
