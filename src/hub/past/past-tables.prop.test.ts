// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type OpenLog, openMemoryLog, openSqliteLog } from "../../../test/support/store-fleet-log.ts";
import { FleetTables } from "../../index/fold/fleet-tables.ts";
import type { Predicate } from "../../index/language/query-predicate.ts";
import { runQuery } from "../../index/query/run-query.ts";
import { anyVisibility } from "../../index/scan/testing/any-visibility.ts";
import { holdsFor } from "../../index/scan/testing/holds-for.ts";
import { anyPredicate } from "../../index/scan/testing/small-rows.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import { readRow } from "../../index/table/read-row.ts";
import type { Row } from "../../model/rows/row.ts";
import { statuses, statusRank } from "../../model/status.ts";
import { isVisible, type Visibility } from "../../rbac/visibility.ts";
import { fieldChanges } from "./field-changes.ts";
import { dependsOnTime, findChanges } from "./find-changes.ts";
import { type PastChange, type PastChangesAnswer } from "./past-changes-page.ts";
import type { PastFleet } from "./past-fleet.ts";
import type { PastTablesOptions } from "./past-tables.ts";
import { anyHistory, anyShare, momentOf, playHistory } from "./testing/any-history.ts";
import {
  PastRig,
  type RigState,
  rigClusters,
  rigFields,
  rigResources,
  sortedState,
  stateOf,
} from "./testing/past-rig.ts";

function ended<Result>(work: Generator<void, Result, undefined>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

const some = fc.array(anyShare, { minLength: 1, maxLength: 4 });
const asked = fc.constantFrom<readonly string[] | undefined>(undefined, ["pods"], rigResources);

const engines: readonly (readonly [string, OpenLog, number])[] = [
  ["memory", openMemoryLog, 60],
  ["sqlite", openSqliteLog, 6],
];

/** Kinds are always made from the present rows where there are any, never, or as it costs less. */
const anyRule = fc.constantFrom<Partial<PastTablesOptions>>(
  { isWorthRestoring: () => true },
  { isWorthRestoring: () => false },
  {},
);

test.each(engines)("[QL30] [FL18] rows at any moment are those of that moment: %s", async (_name, open, numRuns) => {
  await fc.assert(
    fc.asyncProperty(anyHistory, some, asked, anyRule, async (history, shares, resources, rule) => {
      await using under = await open();
      const rig = new PastRig(under, rule);
      await playHistory(rig, history);
      // The second time, tables of the first are still there.
      for (const share of [...shares, ...shares]) {
        const atMs = momentOf(rig, share);
        const reading = rig.read(
          { purpose: "state", moments: [atMs] },
          (id) => rigClusters.map((cluster) => stateOf(rig.tables.fleet(id), cluster)),
          resources === undefined ? {} : { resources },
        );
        if (atMs < rig.earliestMs(resources)) {
          await expect(reading).rejects.toMatchObject({ code: "GONE" });
          continue;
        }
        const expected = rigClusters.map((cluster) => only(rig.stateAt(cluster, atMs), resources));
        expect((await reading).map(sortedState)).toEqual(expected.map(sortedState));
      }
    }),
    { numRuns },
  );
});

/** All that a table answers, besides since when rows are in trouble. */
function factsOf(table: KindTable): unknown {
  const rows = Array.from(table.order(), (row) => readRow(table, row));
  return {
    rows,
    kind: table.kind,
    count: table.count,
    digests: [table.digest, ...table.bucketDigests()],
    statusCounts: statuses.map((status) => table.statusCount(statusRank(status))),
    columns: table
      .columns()
      .map(({ name, type }) => `${type} ${name}`)
      .sort(),
    found: rows.map(({ namespace, name }) => table.findRow(namespace, name)).join() === table.order().join(),
    inNamespaces: rows.map(({ namespace }) => table.rowsIn(table.cluster.findNamespace(namespace) ?? -1).length),
    troubled: Array.from(table.order(), (row) => table.troubledSinceMs(row) !== undefined),
  };
}

/** The dictionaries of the present rows. */
const textsOf = ({ present }: PastRig): unknown[] => rigClusters.map((cluster) => present.get(cluster)?.texts.version);

test.each(engines)(
  "[QL30] tables that are made from the present rows are those that the whole log gives: %s",
  async (_name, open, numRuns) => {
    const restoredCounts = { present: 0, own: 0 };
    await fc.assert(
      fc.asyncProperty(anyHistory, some, async (history, shares) => {
        await using under = await open();
        const rig = new PastRig(under, { isWorthRestoring: () => true });
        const folding = rig.openReader({ isWorthRestoring: () => false, present: new FleetTables() });
        await playHistory(rig, history);
        for (const share of shares) {
          const atMs = momentOf(rig, share);
          if (atMs < rig.earliestMs()) continue;
          const texts = textsOf(rig);
          const need = { purpose: "state", moments: [atMs] } as const;
          const expected = await rig.read(need, (id) => tablesOf(folding.tables.fleet(id)), { by: folding });
          rig.loads.splice(0);
          const found = await rig.read(need, (id) => {
            const tables = tablesOf(rig.tables.fleet(id));
            for (const [key, table] of tables) expect(factsOf(table)).toEqual(factsOf(expected.get(key) ?? table));
            return tables;
          });
          expect(new Set(found.keys())).toEqual(new Set(expected.keys()));
          // The past adds nothing to the present.
          expect(textsOf(rig)).toEqual(texts);
          for (const { cluster, resource, from, upTo } of rig.loads) {
            const position = rig.present.kindPlace(cluster, resource).position;
            // Only the keys that were touched are read up to the present rows.
            if (from === undefined || upTo !== position) continue;
            const isPresent = found.get(`${cluster} ${resource}`)?.cluster === rig.present.get(cluster)?.texts;
            restoredCounts[isPresent ? "present" : "own"] += 1;
          }
        }
      }),
      { numRuns: numRuns * 3 },
    );
    if (numRuns < 20) return;
    expect(restoredCounts.present).toBeGreaterThan(0);
    expect(restoredCounts.own).toBeGreaterThan(0);
  },
);

/** The tables of a fleet by cluster and resource. */
function tablesOf(fleet: PastFleet): ReadonlyMap<string, KindTable> {
  return new Map(
    rigClusters.flatMap((cluster) =>
      Array.from(fleet.get(cluster)?.tables ?? [], ([resource, table]) => [`${cluster} ${resource}`, table] as const),
    ),
  );
}

function only(state: RigState, resources: readonly string[] | undefined): RigState {
  return new Map([...state].filter(([resource]) => resources?.includes(resource) ?? true));
}

const visibilities = fc.array(anyVisibility, { minLength: 4, maxLength: 4 });

/** What a user may see of each kind, and what a query selects of it. */
interface Asked {
  readonly filter: Predicate;
  readonly visibilityOf: (cluster: string, resource: string) => Visibility;
}

function toAsked(filter: Predicate, drawn: readonly Visibility[]): Asked {
  const numberOf = (cluster: string, resource: string): number =>
    rigClusters.indexOf(cluster) * 2 + rigResources.indexOf(resource);
  return { filter, visibilityOf: (cluster, resource) => drawn[numberOf(cluster, resource)] ?? { kind: "none" } };
}

const isSelected = (
  { filter }: Asked,
  cluster: string,
  resource: string,
  row: Row | undefined,
  nowMs: number,
): boolean => row !== undefined && holdsFor(filter, { row, resource, fields: rigFields(cluster), nowMs });

function* plainChanges(rig: PastRig, ask: Asked, [fromMs, toMs]: readonly [number, number]): Generator<PastChange> {
  for (const cluster of rigClusters)
    for (const resource of rigResources) {
      const before = rig.stateAt(cluster, fromMs).get(resource) ?? new Map<string, Row>();
      const after = rig.stateAt(cluster, toMs).get(resource) ?? new Map<string, Row>();
      for (const key of [...new Set([...before.keys(), ...after.keys()])].sort(compareKeys)) {
        const [old, now] = [before.get(key), after.get(key)];
        const { namespace = "", name = "" } = old ?? now ?? {};
        if (!isVisible(ask.visibilityOf(cluster, resource), namespace, name)) continue;
        const wasSelected = isSelected(ask, cluster, resource, old, fromMs);
        const isNow = isSelected(ask, cluster, resource, now, toMs);
        if (!wasSelected && !isNow) continue;
        if (wasSelected && isNow && old?.rowHash === now?.rowHash) continue;
        const change = !wasSelected ? "entered" : isNow ? "changed" : "left";
        const fields = old === undefined || now === undefined ? [] : fieldChanges(resource, old, now);
        yield { cluster, resource, namespace, name, kind: "Thing", change, before: old, after: now, fields };
      }
    }
}

function compareKeys(a: string, b: string): number {
  const [one, other] = [a.split("/"), b.split("/")];
  if (one[0] !== other[0]) return (one[0] ?? "") < (other[0] ?? "") ? -1 : 1;
  return (one[1] ?? "") < (other[1] ?? "") ? -1 : 1;
}

test("[QL31] changes between two moments are the plain difference, over visible rows, page by page", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(anyHistory, anyPredicate, visibilities, anyRule),
      fc.tuple(anyShare, anyShare, fc.integer({ min: 1, max: 6 })),
      async ([history, filter, drawn, rule], [one, other, limit]) => {
        await using under = await openMemoryLog();
        const rig = new PastRig(under, rule);
        await playHistory(rig, history);
        const [fromMs, toMs] = [Math.min(one, other), Math.max(one, other)].map((share) => momentOf(rig, share));
        if (fromMs === undefined || toMs === undefined || fromMs < rig.earliestMs()) return;
        const ask = toAsked(filter, drawn);
        const need = { purpose: "changes", moments: [fromMs, toMs], withUnchanged: dependsOnTime(filter) } as const;
        await rig.read(need, (id) => {
          const expected = [...plainChanges(rig, ask, [fromMs, toMs])];
          const moments = {
            before: { fleet: rig.tables.fleet(id, 0), atMs: fromMs },
            after: { fleet: rig.tables.fleet(id, 1), atMs: toMs },
          };
          const found: PastChange[] = [];
          let answer: PastChangesAnswer | undefined;
          do {
            answer = ended(findChanges({ ...ask, ...moments, limit, afterKey: answer?.next }));
            expect(answer.changes.length).toBeLessThanOrEqual(limit);
            found.push(...answer.changes);
          } while (answer.next !== undefined && found.length <= expected.length);
          expect(found).toEqual(expected);
          for (const change of ["entered", "left", "changed"] as const)
            expect(answer.counts[change]).toBe(expected.filter((each) => each.change === change).length);
        });
      },
    ),
    { numRuns: 80 },
  );
});

interface PlainDeleted {
  readonly row: Row;
  readonly removedAtMs: number;
}

/** Objects that existed at some moment of the time and do not exist at its end. */
function plainDeleted(rig: PastRig, cluster: string, resource: string, sinceMs: number): Map<string, PlainDeleted> {
  const deleted = new Map<string, PlainDeleted>();
  let before = rig.stateAt(cluster, sinceMs).get(resource) ?? new Map<string, Row>();
  for (const { atMs, state } of rig.statesIn(cluster, sinceMs, Number.POSITIVE_INFINITY)) {
    const after = state.get(resource) ?? new Map<string, Row>();
    for (const [key, row] of before) if (!after.has(key)) deleted.set(key, { row, removedAtMs: atMs });
    for (const key of after.keys()) deleted.delete(key);
    before = after;
  }
  return deleted;
}

test.each(engines)(
  "[QL32] deleted objects are those that a query selects as they were: %s",
  async (_name, open, numRuns) => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(anyHistory, anyPredicate, visibilities),
        anyShare,
        async ([history, filter, drawn], share) => {
          await using under = await open();
          const rig = new PastRig(under, { isWorthRestoring: () => true });
          await playHistory(rig, history);
          const sinceMs = momentOf(rig, share);
          if (sinceMs < rig.earliestMs()) return;
          // Its tables are still there, and cannot be continued.
          await rig.read({ purpose: "state", moments: [sinceMs] }, () => undefined);
          const ask = toAsked(filter, drawn);
          const nowMs = rig.nowMs + 1_000;
          const found = await rig.read({ purpose: "deletes", moments: [sinceMs, nowMs] }, (id) => {
            const fleet = rig.tables.deleted(id);
            const { rows, total } = ended(runQuery(fleet, { ...ask, limit: 100, facets: [], nowMs }));
            expect(total).toBe(rows.length);
            return rows.map(({ cluster, resource, row }) => {
              return { cluster, resource, row, removedAtMs: fleet.removedAtMs({ cluster, resource, ...row }, row.uid) };
            });
          });
          const expected = rigClusters.flatMap((cluster) =>
            rigResources.flatMap((resource) =>
              [...plainDeleted(rig, cluster, resource, sinceMs)]
                .sort(([a], [b]) => compareKeys(a, b))
                .filter(([, { row }]) => isVisible(ask.visibilityOf(cluster, resource), row.namespace, row.name))
                .filter(([, { row }]) => isSelected(ask, cluster, resource, row, nowMs))
                .map(([, deleted]) => ({ cluster, resource, ...deleted })),
            ),
          );
          expect(found).toEqual(expected);
        },
      ),
      { numRuns },
    );
  },
);
