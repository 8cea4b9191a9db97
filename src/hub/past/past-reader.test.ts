// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { openMemoryLog } from "../../../test/support/store-fleet-log.ts";
import { FlotillaError } from "../../base/error.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import { FleetTables } from "../../index/fold/fleet-tables.ts";
import { runQuery } from "../../index/query/run-query.ts";
import { stepRowCount } from "../../index/table/apply-part.ts";
import { TextDictionary } from "../../index/table/text-dictionary.ts";
import { type RowContent, toResourceVersion } from "../../model/rows/row.ts";
import { plainCodec } from "../fleet/testing/test-fleet.ts";
import { dependsOnTime, findChanges } from "./find-changes.ts";
import type { PastTablesOptions } from "./past-tables.ts";
import { allVisible, PastRig, rigResources, stateOf } from "./testing/past-rig.ts";

const object = (name: string, reason = "", namespace = "web"): RowContent => ({
  namespace,
  name,
  uid: "00000000-0000-4000-8000-000000000001",
  resourceVersion: toResourceVersion("1"),
  generation: 1,
  createdAt: 0,
  status: "healthy",
  reason,
  message: "",
  labels: new Map(),
  annotations: new Map(),
  columns: new Map(),
});

const putting = (resource: string, ...put: readonly RowContent[]) => [{ resource, put, deleted: [], replaced: false }];

/** Both clusters with pods `a` of reason `r1` at 500, and `r2` at 600. */
async function rigOfTwoFlushes(options: Partial<PastTablesOptions> = {}, isFolded = true): Promise<PastRig> {
  const rig = new PastRig(await openMemoryLog(), options);
  for (const reason of ["r1", "r2"]) {
    for (const cluster of ["east", "west"]) await rig.flush(cluster, putting("pods", object("a", reason)), isFolded);
    rig.wait(100);
  }
  return rig;
}

const reasonsAt = (rig: PastRig, atMs: number): Promise<readonly (string | undefined)[]> =>
  rig.read({ purpose: "state", moments: [atMs] }, (id) =>
    ["east", "west"].map((cluster) => stateOf(rig.tables.fleet(id), cluster).get("pods")?.get("web/a")?.reason),
  );

test("[QL30] a moment before what is kept is refused with the earliest one that can be asked for", async () => {
  const rig = await rigOfTwoFlushes();
  await rig.checkpoint("west", "pods");
  await rig.retain(rig.nowMs);
  await expect(reasonsAt(rig, 550)).rejects.toMatchObject({
    code: "GONE",
    message: `history before ${new Date(600).toISOString()} is not kept; ask for a later time`,
  });
  expect(await reasonsAt(rig, 600)).toEqual(["r2", "r2"]);
});

test("[L17] kinds that the user may not see are not loaded, and their retention is not told", async () => {
  const rig = await rigOfTwoFlushes({}, false);
  const visibilityOf = (cluster: string) => ({ kind: cluster === "east" ? "all" : "none" }) as const;
  const seenAt = (atMs: number): Promise<readonly string[]> =>
    rig.read({ purpose: "state", moments: [atMs], visibilityOf }, (id) => rig.tables.fleet(id).clusterIds());
  expect(await seenAt(600)).toEqual(["east"]);
  await rig.checkpoint("west", "pods");
  await rig.retain(rig.nowMs);
  expect(await seenAt(550)).toEqual(["east"]);
  expect(rig.loads.map(({ cluster }) => cluster)).toEqual(["east", "east"]);
});

test("[QL30] a table from before what is kept is not continued", async () => {
  const rig = await rigOfTwoFlushes({}, false);
  await reasonsAt(rig, 550);
  for (const cluster of ["east", "west"]) await rig.checkpoint(cluster, "pods");
  await rig.retain(rig.nowMs);
  expect(await reasonsAt(rig, 650)).toEqual(["r2", "r2"]);
});

test("[QL31] an object that only became older leaves a query about ages, also if its kind did not change", async () => {
  const rig = new PastRig(await openMemoryLog());
  await rig.flush("west", putting("pods", { ...object("a"), createdAt: 450 }));
  rig.wait(1_000);
  const filter = { kind: "age", order: "<", ms: 100 } as const;
  const moments = [500, 600];
  const counts = await rig.read({ purpose: "changes", moments, withUnchanged: dependsOnTime(filter) }, (id) => {
    const [before, after] = moments.map((atMs, at) => ({ fleet: rig.tables.fleet(id, at), atMs }));
    if (before === undefined || after === undefined) return undefined;
    const visibilityOf = () => ({ kind: "all" }) as const;
    const step = findChanges({ filter, visibilityOf, before, after, limit: 10 }).next();
    return step.done === true ? step.value.counts : undefined;
  });
  expect(counts).toEqual({ entered: 0, left: 1, changed: 0 });
});

test("[QL30] the next read of a moment loads nothing, and a later moment only what came in between", async () => {
  const rig = await rigOfTwoFlushes({}, false);
  expect(await reasonsAt(rig, 550)).toEqual(["r1", "r1"]);
  expect(rig.loads.splice(0)).toHaveLength(2);
  expect(await reasonsAt(rig, 599)).toEqual(["r1", "r1"]);
  expect(rig.loads).toEqual([]);
  expect(await reasonsAt(rig, 600)).toEqual(["r2", "r2"]);
  expect(rig.loads.map(({ from }) => from?.receivedAtMs)).toEqual([500, 500]);
  expect(await reasonsAt(rig, 550)).toEqual(["r1", "r1"]);
});

test("[QL30] kinds that have not changed since the moment are not loaded at all, and stay as they were", async () => {
  const rig = await rigOfTwoFlushes();
  const reasons = await rig.read({ purpose: "state", moments: [650] }, async (id) => {
    await rig.flush("west", putting("pods", object("a", "r3")));
    const fleet = rig.tables.fleet(id);
    return ["east", "west"].map((cluster) => stateOf(fleet, cluster).get("pods")?.get("web/a")?.reason);
  });
  expect(reasons).toEqual(["r2", "r2"]);
  expect(rig.loads).toEqual([]);
});

test("[QL30] counts by namespace are right over present and past tables, also after the dictionary was replaced", async () => {
  class ReplacedNames extends FleetTables {
    replaced: TextDictionary | undefined;
    override get namespaces(): TextDictionary {
      return this.replaced ?? super.namespaces;
    }
  }
  const present = new ReplacedNames();
  const rig = new PastRig(await openMemoryLog(), { present });
  await rig.flush("west", putting("pods", object("a", "", "zoo"), object("b", "", "web")));
  const countAt = (): Promise<unknown> =>
    rig.read({ purpose: "state", moments: [rig.nowMs] }, (id) => {
      const facets = [{ ref: { field: "namespace", name: "" } as const }];
      const visibilityOf = () => ({ kind: "all" }) as const;
      const nowMs = rig.nowMs;
      const request = { filter: { kind: "all" } as const, visibilityOf, limit: 0, facets, nowMs };
      const step = runQuery(rig.tables.fleet(id), request).next();
      return step.done === true ? step.value.facets[0]?.values : undefined;
    });
  const expected = [
    { value: "web", count: 1 },
    { value: "zoo", count: 1 },
  ];
  expect(await countAt()).toEqual(expected);
  present.replaced = new TextDictionary();
  expect(await countAt()).toEqual(expected);
});

test("[QL30] rows that take too much memory are refused with what to do, and leave no memory behind", async () => {
  const limitBytes = (await loadedBytes()) * 0.8;
  const rig = await rigOfTwoFlushes({ limitBytes }, false);
  await expect(reasonsAt(rig, 550)).rejects.toMatchObject({
    code: "TOO_LARGE",
    message: expect.stringContaining("narrow the query by cluster or kind"),
  });
  expect(rig.tables.sizeBytes).toBeLessThan(limitBytes);
  expect(await rig.read({ purpose: "state", moments: [550] }, () => "none", { resources: ["services"] })).toBe("none");
});

test("[QL30] unused tables make room, those of an open read do not", async () => {
  const deployments = Array.from({ length: 100 }, (_, at) => object(`d-${at}`));
  const build = async (limitBytes?: number): Promise<PastRig> => {
    const rig = await rigOfTwoFlushes(limitBytes === undefined ? {} : { limitBytes }, false);
    await rig.flush("west", putting("apps/deployments", ...deployments), false);
    return rig;
  };
  const read = (rig: PastRig): Promise<number> =>
    rig.read({ purpose: "state", moments: [rig.nowMs] }, () => rig.tables.sizeBytes, {
      resources: ["apps/deployments"],
    });
  const limitBytes = await read(await build());
  const rig = await build(limitBytes);
  await rig.read({ purpose: "state", moments: [550] }, async () => {
    await expect(read(rig)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: "other queries about past moments use all memory for them; try again",
    });
  });
  expect(await read(rig)).toBeLessThanOrEqual(limitBytes);
});

test("[QL30] a cancelled read ends, and what it has loaded is released", async () => {
  const cancelling = new AbortController();
  const rig: PastRig = await rigOfTwoFlushes({ takeTurn: async () => cancelling.abort(new Error("enough")) }, false);
  const reading = rig.read({ purpose: "state", moments: [550] }, () => "all", { signal: cancelling.signal });
  await expect(reading).rejects.toThrow("enough");
  expect(rig.tables.sizeBytes).toBe(0);
});

/** The memory of the rows at 550. */
async function loadedBytes(): Promise<number> {
  const rig = await rigOfTwoFlushes({}, false);
  await reasonsAt(rig, 550);
  return rig.tables.sizeBytes;
}

test("[QL30] the progress counts clusters, and those that are loaded can be read meanwhile", async () => {
  const rig = await rigOfTwoFlushes({}, false);
  const seen: unknown[] = [];
  let openId = 0;
  await rig.reader.read(
    async (id) => {
      openId = id;
      rig.tables.open(id, { purpose: "state", moments: [550], visibilityOf: allVisible, withUnchanged: false });
      return { moments: [550], clusters: ["east", "west"], resources: undefined };
    },
    async (_id, clusters) => {
      expect(clusters.map(({ asOfMs }) => asOfMs)).toEqual([500, 500]);
    },
    {
      signal: new AbortController().signal,
      onProgress: ({ readCount, totalCount }) =>
        seen.push([readCount, totalCount, rig.tables.fleet(openId).clusterIds().length]),
    },
  );
  expect(seen).toEqual([
    [1, 2, expect.any(Number)],
    [2, 2, 2],
  ]);
});

test("[QL30] a cluster without history at the moment is read and has no time", async () => {
  const rig = await rigOfTwoFlushes();
  const clusters = await rig.reader.read(
    async (id) => {
      rig.tables.open(id, { purpose: "state", moments: [499], visibilityOf: allVisible, withUnchanged: false });
      return { moments: [499], clusters: ["east", "north"], resources: new Set(rigResources) };
    },
    async (_id, read) => read,
    { signal: new AbortController().signal },
  );
  expect(clusters.toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1))).toEqual([
    { cluster: "east", hasRows: false, asOfMs: undefined },
    { cluster: "north", hasRows: false, asOfMs: undefined },
  ]);
});

test("[QL30] [Q-37] a large kind is folded in turns of bounded size", async () => {
  const turns: number[] = [];
  const rig = new PastRig(await openMemoryLog(), { takeTurn: async (count) => void turns.push(count) });
  const many = Array.from({ length: 3 * stepRowCount }, (_, at) => object(`p-${at}`));
  await rig.flush("west", putting("pods", ...many), false);
  const count = await rig.read({ purpose: "state", moments: [rig.nowMs] }, (id) => {
    return rig.tables.fleet(id).get("west")?.tables.get("pods")?.count;
  });
  expect(count).toBe(many.length);
  expect(turns.filter((rows) => rows === stepRowCount)).toHaveLength(3);
});

test("[L13] more than eight reads wait for their turn, in order, and a waiting one can be cancelled", async () => {
  const rig = await rigOfTwoFlushes();
  const gate = Promise.withResolvers<void>();
  const running = Array.from({ length: 8 }, () => rig.read({ purpose: "state", moments: [600] }, () => gate.promise));
  await settle();
  const cancelling = new AbortController();
  const cancelled = rig.read({ purpose: "state", moments: [600] }, () => "early", { signal: cancelling.signal });
  let isRead = false;
  const waiting = rig.read({ purpose: "state", moments: [600] }, () => {
    isRead = true;
  });
  await settle();
  cancelling.abort(new Error("no longer wanted"));
  await expect(cancelled).rejects.toThrow("no longer wanted");
  expect(isRead).toBe(false);
  gate.resolve();
  await Promise.all([...running, waiting]);
  expect(isRead).toBe(true);
});

const always = { isWorthRestoring: () => true };

test("[QL30] a kind that changed is made from its present rows: only what was touched since is folded", async () => {
  const rig = new PastRig(await openMemoryLog());
  const many = Array.from({ length: 300 }, (_, at) => object(`p-${at}`, "r1"));
  await rig.flush("west", putting("pods", ...many));
  rig.wait(100);
  await rig.flush("west", putting("pods", object("p-7", "r2")));
  const reasons = await rig.read({ purpose: "state", moments: [550] }, (id) => {
    const { tables, texts } = rig.tables.fleet(id).get("west") ?? {};
    expect(texts).toBe(rig.present.get("west")?.texts);
    expect(tables?.get("pods")?.count).toBe(300);
    return ["web/p-7", "web/p-8"].map((key) => stateOf(rig.tables.fleet(id), "west").get("pods")?.get(key)?.reason);
  });
  expect(reasons).toEqual(["r1", "r1"]);
  expect(rig.loads.splice(0).map(({ from }) => from?.receivedAtMs)).toEqual([500, undefined]);
  // More changes than rows: reading them costs more than folding the rows.
  for (let at = 0; at < 3; at += 1) await rig.flush("west", putting("pods", object("p-7", `r${at}`)));
  rig.tables.clear();
  await rig.read({ purpose: "state", moments: [550] }, (id) => {
    expect(rig.tables.fleet(id).get("west")?.texts).not.toBe(rig.present.get("west")?.texts);
    expect(stateOf(rig.tables.fleet(id), "west").get("pods")?.get("web/p-7")?.reason).toBe("r1");
  });
});

test("[QL30] a kind has the name that it had at the moment", async () => {
  const rig = new PastRig(await openMemoryLog(), always);
  for (const [kind, name] of [
    ["Older", "a"],
    ["Old", "b"],
    ["New", "a"],
  ] as const) {
    await rig.flush("west", [{ resource: "pods", put: [object(name, kind)], deleted: [], replaced: false, kind }]);
    rig.wait(100);
  }
  const kind = await rig.read({ purpose: "state", moments: [650] }, (id) => {
    return rig.tables.fleet(id).get("west")?.tables.get("pods")?.kind;
  });
  expect(kind).toBe("Old");
});

test("[QL30] [CO66] if a change since the moment cannot be read, all rows are folded", async () => {
  const decompress = async (bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> => {
    const read = await plainCodec.decompress(bytes, maxBytes);
    if (new TextDecoder().decode(read).includes("r2")) throw new FlotillaError("MALFORMED", "damaged since");
    return read;
  };
  const rig = await rigOfTwoFlushes({ ...always, codec: { ...plainCodec, decompress } });
  expect(await reasonsAt(rig, 550)).toEqual(["r1", "r1"]);
});

test("[QL30] changes that come while a kind is made from its present rows are not part of it", async () => {
  let onTurn: (() => Promise<void>) | undefined;
  const rig: PastRig = await rigOfTwoFlushes({ ...always, takeTurn: async () => onTurn?.() });
  let count = 0;
  onTurn = async () => {
    count += 1;
    await rig.flush("west", putting("pods", object("a", `later-${count}`), object(`b-${count}`)));
  };
  const names = await rig.read({ purpose: "state", moments: [550] }, (id) => [
    ...(stateOf(rig.tables.fleet(id), "west").get("pods")?.keys() ?? []),
  ]);
  expect(names).toEqual(["web/a"]);
  expect(count).toBeGreaterThan(3);
});

test("[QL30] a cancelled read that makes rows from the present ones leaves no memory behind", async () => {
  for (let last = 1; last < 8; last += 1) {
    const cancelling = new AbortController();
    let turnCount = 0;
    const takeTurn = async (): Promise<void> => {
      turnCount += 1;
      if (turnCount === last) cancelling.abort(new Error("enough"));
    };
    const rig = await rigOfTwoFlushes({ ...always, takeTurn });
    const reading = rig.read({ purpose: "state", moments: [550] }, () => "all", { signal: cancelling.signal });
    await expect(reading).rejects.toThrow("enough");
    rig.tables.clear();
    expect(rig.tables.sizeBytes).toBe(0);
  }
});

test("[QL30] [L13] kept rows do not keep dictionaries that the present rows use no longer", async () => {
  const rig = await rigOfTwoFlushes(always);
  expect(await reasonsAt(rig, 550)).toEqual(["r1", "r1"]);
  expect(rig.tables.sizeBytes).toBeGreaterThan(0);
  for (const cluster of ["east", "west"]) rig.rebuild(cluster);
  expect(await reasonsAt(rig, 650)).toEqual(["r2", "r2"]);
  expect(rig.tables.sizeBytes).toBe(0);
});
