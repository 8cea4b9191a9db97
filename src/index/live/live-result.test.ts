// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createHasher } from "../../model/rows/hasher.ts";
import { type RowContent, toResourceVersion } from "../../model/rows/row.ts";
import type { Status } from "../../model/status.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import type { Predicate } from "../language/query-predicate.ts";
import { type FleetPlace, PlainFleet } from "../query/testing/plain-fleet.ts";
import { LiveBudget } from "./live-budget.ts";
import type { LiveQuestion } from "./live-request.ts";
import { LiveResult } from "./live-result.ts";
import { TableSlots } from "./table-slots.ts";

const hasher = await createHasher();
const [clusterCount, kinds] = [12, ["pods", "services", "apps/deployments"]];

function content(name: string, status: Status = "healthy"): RowContent {
  return {
    namespace: "shop",
    name,
    uid: "",
    resourceVersion: toResourceVersion("1"),
    generation: 1,
    createdAt: 500,
    status,
    reason: "",
    message: "",
    labels: new Map(),
    annotations: new Map(),
    columns: new Map(),
  };
}

const placeOf = (cluster: number, resource: string): FleetPlace => ({
  fields: { cluster: `c${String(cluster).padStart(2, "0")}`, region: "eu", environment: "" },
  resource,
});

/** Twelve clusters with three kinds of five objects, one of them unhealthy, and a view that shows ten rows. */
function openView(
  question: Partial<LiveQuestion>,
  options: {
    readonly maxViewBytes?: number;
    readonly sliceRows?: number;
    readonly spareRows?: number;
    readonly budget?: LiveBudget;
    readonly maxLogBytes?: number;
  } = {},
) {
  const fleet = new PlainFleet(hasher, () => []);
  for (let cluster = 0; cluster < clusterCount; cluster += 1)
    for (const resource of kinds)
      fleet.fold(
        placeOf(cluster, resource),
        ["a", "b", "c", "d", "e"].map((name) => content(name, name === "a" ? "unhealthy" : "healthy")),
      );
  const slots = new TableSlots(options.maxLogBytes);
  fleet.tables.reportDeltas(slots);
  const grants = new Map<string, { readonly visibility: Visibility; readonly key: number }>();
  let accessVersion = 0;
  const request = {
    filter: { kind: "all" } as Predicate,
    limit: 10,
    sort: [],
    facets: [{ field: "cluster" as const, name: "" }],
    visibilityOf: (cluster: string) => grants.get(cluster)?.visibility ?? ({ kind: "all" } as const),
    accessKeyOf: (cluster: string) => grants.get(cluster)?.key ?? 0,
    ...question,
  };
  const live = {
    fleet: fleet.tables,
    slots,
    budget: options.budget ?? new LiveBudget(options),
    accessVersion: () => accessVersion,
    sliceRows: options.sliceRows ?? 1_000,
    ...(options.spareRows === undefined ? {} : { spareRows: options.spareRows }),
  };
  const result = new LiveResult(live, request);
  let nowMs = 1_000;
  /** The number of tables that a refresh reads. */
  const refreshOf = (view: LiveResult, scope: "all" | "access" = "all"): number => {
    slots.update(fleet.tables);
    const before = view.readTableCount;
    for (const _ of view.refresh(nowMs, scope));
    return view.readTableCount - before;
  };
  const refresh = (scope?: "all" | "access"): number => refreshOf(result, scope);
  const advance = (byMs: number): void => {
    nowMs += byMs;
  };
  const grant = (cluster: string, key: number, visibility: Visibility): void => {
    grants.set(cluster, { visibility, key });
    accessVersion += 1;
    slots.noteAccess(new Set([cluster]));
  };
  /** Another view of the same query. */
  const openTwin = (): LiveResult => new LiveResult(live, request);
  return { fleet, result, slots, refresh, refreshOf, openTwin, grant, advance };
}

const isPod: Predicate = { kind: "resources", resources: ["pods"] };

describe("[QL18] the tables that a refresh reads", () => {
  test("are all of the query's kinds at first, then none, then those that changed", () => {
    const { fleet, result, refresh } = openView({ filter: isPod });
    expect(refresh()).toBe(clusterCount);
    const { state } = result;
    expect(state).toMatchObject({ total: clusterCount * 5 });
    expect(refresh()).toBe(0);
    fleet.fold(placeOf(3, "pods"), [content("f")]);
    fleet.fold(placeOf(4, "pods"), [], [content("a")]);
    fleet.fold(placeOf(5, "services"), [content("f")]);
    expect(refresh()).toBe(2);
    expect(result.state).toMatchObject({ total: clusterCount * 5 });
    expect(result.state).not.toBe(state);
  });

  test("are those of a cluster in which the user's grants changed, and none where they stayed", () => {
    const { fleet, result, refresh, grant } = openView({});
    refresh();
    grant("c03", 1, { kind: "none" });
    grant("c04", 0, { kind: "all" });
    fleet.fold(placeOf(7, "pods"), [content("f")]);
    expect(result.hasOldAccess()).toBe(true);
    expect(refresh("access")).toBe(kinds.length);
    expect(result.hasOldAccess()).toBe(false);
    expect(result.state).toMatchObject({ total: (clusterCount - 1) * 15 });
    expect(refresh()).toBe(1);
    expect(result.state).toMatchObject({ total: (clusterCount - 1) * 15 + 1 });
  });

  test("are those in which a row reached an age of the query", () => {
    const { fleet, result, refresh, advance } = openView({ filter: { kind: "age", order: ">=", ms: 1_000 } });
    fleet.fold(placeOf(3, "pods"), [{ ...content("young"), createdAt: 900 }]);
    expect(refresh()).toBe(clusterCount * kinds.length);
    expect(result).toMatchObject({ state: { total: 0 }, nextAgeChangeMs: 1_500 });
    expect(result.isBehind(1_499)).toBe(false);
    advance(500);
    expect(result.isBehind(1_500)).toBe(true);
    refresh();
    expect(result.state).toMatchObject({ total: clusterCount * 15 });
    advance(399);
    refresh();
    expect(result.isBehind(1_900)).toBe(true);
    advance(1);
    expect(refresh()).toBe(1);
    expect(result.state).toMatchObject({ total: clusterCount * 15 + 1 });
  });

  test("are no others while fewer rows leave the page than are held beyond it", () => {
    const sort = [{ ref: { field: "name" as const, name: "" }, isDescending: false }];
    const { fleet, result, refresh } = openView({ sort });
    refresh();
    for (let cluster = 0; cluster < clusterCount; cluster += 1)
      fleet.fold(placeOf(cluster, "pods"), [], [content("a")]);
    expect(refresh()).toBe(clusterCount);
    expect(result.state?.page.map(({ key }) => key.resource)).toEqual(
      Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? "apps/deployments" : "services")),
    );
  });
});

describe("[QL18] changes that are known row by row", () => {
  test("are applied without reading a table: rows that come, change and go", () => {
    const filter: Predicate = { kind: "status", status: "unhealthy" };
    const { fleet, result, refresh } = openView({ filter });
    refresh();
    fleet.flush(placeOf(3, "pods"), [content("0", "unhealthy"), content("a"), content("x")]);
    fleet.flush(placeOf(4, "pods"), [content("b", "unhealthy")], [content("a")]);
    fleet.flush(placeOf(5, "services"), [], [content("a")]);
    expect(refresh()).toBe(0);
    expect(result.state).toMatchObject({ total: clusterCount * 3 - 1 });
    const counts = new Map(result.state?.facets[0]?.values.map(({ value, count }) => [value, count]));
    expect([counts.get("c03"), counts.get("c04"), counts.get("c05")]).toEqual([3, 3, 2]);
    expect(result.state?.page.map(({ key }) => `${key.cluster} ${key.resource} ${key.name}`).at(-1)).toBe(
      "c03 apps/deployments a",
    );
  });

  test("[L17] are applied as the user saw the table, until it is read under other grants", () => {
    const { fleet, result, slots, refresh, grant } = openView({ filter: isPod });
    grant("c03", 1, { kind: "none" });
    refresh();
    fleet.flush(placeOf(3, "pods"), [content("f")]);
    slots.update(fleet.tables);
    expect(refresh()).toBe(0);
    expect(result.state).toMatchObject({ total: (clusterCount - 1) * 5 });
    grant("c03", 2, { kind: "all" });
    fleet.flush(placeOf(3, "pods"), [content("g")]);
    expect(refresh("access")).toBe(kinds.length - 2);
    expect(refresh()).toBe(0);
    expect(result.state).toMatchObject({ total: clusterCount * 5 + 2 });
  });

  test.each<[string, (fleet: PlainFleet) => void]>([
    ["rows are loaded", (fleet) => fleet.fold(placeOf(3, "pods"), [content("f")])],
    [
      "a flush is large",
      (fleet) =>
        fleet.flush(
          placeOf(3, "pods"),
          Array.from({ length: 257 }, (_, at) => content(`f${at}`)),
        ),
    ],
    [
      "texts are compacted",
      (fleet) => {
        fleet.flush(placeOf(3, "pods"), [{ ...content("a"), message: "x".repeat(10_000) }]);
        fleet.flush(placeOf(3, "pods"), [content("a", "unhealthy")]);
        const compaction = fleet.tables.prepareCompaction("c03");
        for (const _ of compaction?.steps() ?? []);
        expect(compaction?.commit()).toBe(true);
      },
    ],
  ])("are not if %s: the table is read", (_how, change) => {
    const { fleet, result, refresh } = openView({ filter: isPod });
    refresh();
    fleet.flush(placeOf(3, "pods"), [content("e")]);
    change(fleet);
    expect(refresh()).toBe(1);
    const total = result.state?.total;
    // The table is followed again afterwards.
    fleet.flush(placeOf(3, "pods"), [content("z")]);
    expect(refresh()).toBe(0);
    expect(result.state?.total).toBe((total ?? 0) + 1);
  });

  test("are not if the view counts by images", () => {
    const { fleet, result, refresh } = openView({ filter: isPod, facets: [{ field: "image", name: "" }] });
    refresh();
    fleet.flush(placeOf(3, "pods"), [content("f")]);
    expect(refresh()).toBe(1);
    expect(result).toMatchObject({ canFollow: false, readsTables: true });
  });

  test("[QL19] [L13] are dropped when they take too much memory: the tables that they were in are read", () => {
    const maxLogBytes = 3_000;
    const { fleet, result, slots, refresh, refreshOf, openTwin } = openView({ filter: isPod }, { maxLogBytes });
    const twin = openTwin();
    refresh();
    for (const name of ["f", "g", "h", "i", "j", "k", "l", "m"]) {
      expect(refreshOf(twin)).toBe(name === "f" ? clusterCount : 0);
      fleet.flush(placeOf(3, "pods"), [content(name)]);
      fleet.flush(placeOf(4, "services"), [content(name)]);
      slots.update(fleet.tables);
      expect(slots.logBytes).toBeLessThanOrEqual(maxLogBytes);
    }
    expect(result.canFollow).toBe(false);
    expect(refresh()).toBe(1);
    expect(result.canFollow).toBe(true);
    for (let at = 0; at < 8; at += 1) fleet.flush(placeOf(3, "pods"), [content(`n${at}`)]);
    expect(slots.logBytes).toBeLessThanOrEqual(maxLogBytes);
    expect(refresh()).toBe(1);
    expect(result.state).toMatchObject({ total: clusterCount * 5 + 16 });
  });
});

test.each([0, 1])(
  "[QL16] rows that another row pushed off the page come back when it leaves (%i spare rows)",
  (spareRows) => {
    const filter: Predicate = { kind: "and", parts: [isPod, { kind: "status", status: "unhealthy" }] };
    const { fleet, result, refresh } = openView({ filter, limit: clusterCount - spareRows }, { spareRows });
    refresh();
    const before = result.state?.page.map(({ key }) => key);
    const first = [content("0", "unhealthy"), content("00", "unhealthy")];
    fleet.fold(placeOf(5, "pods"), first);
    refresh();
    expect(result.state?.page).toHaveLength(clusterCount - spareRows);
    expect(result.state?.page.map(({ key }) => key)).not.toEqual(before);
    fleet.fold(placeOf(5, "pods"), [], first);
    refresh();
    expect(result.state?.page.map(({ key }) => key)).toEqual(before);
  },
);

test("[L17] grants that change and change back while a refresh runs leave no row behind", () => {
  const { fleet, result, slots, refresh, grant } = openView({ filter: isPod }, { sliceRows: 1 });
  grant("c11", 0, { kind: "none" });
  slots.update(fleet.tables);
  const refreshing = result.refresh(1_000);
  refreshing.next();
  grant("c11", 1, { kind: "all" });
  for (let at = 0; at < clusterCount - 1; at += 1) refreshing.next();
  expect(result.state).toMatchObject({ total: clusterCount * 5 });
  grant("c11", 0, { kind: "none" });
  expect(result.hasOldAccess()).toBe(true);
  refresh("access");
  expect(result.state).toMatchObject({ total: (clusterCount - 1) * 5 });
});

test("[L17] a whole query that read grants which were changed back is not shown", () => {
  const { fleet, result, slots, refresh, grant } = openView({ filter: isPod }, { sliceRows: 1, maxViewBytes: 100 });
  grant("c11", 0, { kind: "none" });
  refresh();
  expect(result).toMatchObject({ isWhole: true, state: { total: (clusterCount - 1) * 5 } });
  // Only another cluster changes, but the whole query reads all of them.
  fleet.fold(placeOf(0, "pods"), [content("f")]);
  slots.update(fleet.tables);
  const refreshing = result.refresh(1_000);
  refreshing.next();
  grant("c11", 1, { kind: "all" });
  while (refreshing.next().done !== true);
  grant("c11", 0, { kind: "none" });
  expect(result.state).toMatchObject({ total: clusterCount * 5 + 1 });
  expect(result.hasOldAccess()).toBe(true);
  refresh();
  expect(result.hasOldAccess()).toBe(false);
  expect(result.state).toMatchObject({ total: (clusterCount - 1) * 5 + 1 });
});

test("[L17] the state from before a revocation is not shown if the refresh for the revocation did not end", () => {
  const { result, refresh, grant } = openView({ filter: isPod }, { sliceRows: 1 });
  refresh();
  for (const cluster of ["c01", "c02"]) grant(cluster, 1, { kind: "none" });
  result.refresh(1_000, "access").next();
  expect(result.hasOldAccess()).toBe(true);
  refresh("access");
  expect(result.hasOldAccess()).toBe(false);
  expect(result.state).toMatchObject({ total: (clusterCount - 2) * 5 });
});

test("[QL19] a view for which there was no room keeps parts again when there is", () => {
  const budget = new LiveBudget({ maxBytes: 1_000_000 });
  budget.resize(0, 999_999);
  const { fleet, result, refresh } = openView({ filter: isPod }, { budget });
  refresh();
  expect(result).toMatchObject({ isWhole: true, state: { total: clusterCount * 5 } });
  budget.resize(999_999, 0);
  fleet.fold(placeOf(5, "pods"), [content("f")]);
  expect(refresh()).toBe(clusterCount);
  expect(result).toMatchObject({ isWhole: false, state: { total: clusterCount * 5 + 1 } });
  fleet.fold(placeOf(5, "pods"), [content("g")]);
  expect(refresh()).toBe(1);
  result.close();
  expect(budget.usedBytes).toBe(0);
});

test("[QL19] a view beyond its bound of memory keeps nothing of its tables and runs its whole query, when one changed", () => {
  const { fleet, result, refresh } = openView({ filter: isPod }, { maxViewBytes: 100 });
  refresh();
  expect(result).toMatchObject({ isWhole: true, state: { total: clusterCount * 5 } });
  const { state } = result;
  fleet.fold(placeOf(5, "services"), [content("f")]);
  expect(refresh()).toBe(0);
  expect(result.state).toBe(state);
  fleet.fold(placeOf(5, "pods"), [content("f")]);
  expect(refresh()).toBe(0);
  expect(result.state).toMatchObject({ total: clusterCount * 5 + 1 });
});
