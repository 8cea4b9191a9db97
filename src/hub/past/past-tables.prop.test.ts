// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type OpenLog, openMemoryLog, openSqliteLog } from "../../../test/support/store-fleet-log.ts";
import type { Predicate } from "../../index/language/query-predicate.ts";
import { runQuery } from "../../index/query/run-query.ts";
import { anyVisibility } from "../../index/scan/testing/any-visibility.ts";
import { holdsFor } from "../../index/scan/testing/holds-for.ts";
import { anyPredicate } from "../../index/scan/testing/small-rows.ts";
import type { Row } from "../../model/rows/row.ts";
import { isVisible, type Visibility } from "../../rbac/visibility.ts";
import { fieldChanges } from "./field-changes.ts";
import { dependsOnTime, findChanges } from "./find-changes.ts";
import { type PastChange, type PastChangesAnswer } from "./past-changes-page.ts";
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

test.each(engines)("[QL30] [FL18] rows at any moment are those of that moment: %s", async (_name, open, numRuns) => {
  await fc.assert(
    fc.asyncProperty(anyHistory, some, asked, async (history, shares, resources) => {
      await using under = await open();
      const rig = new PastRig(under);
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
      fc.tuple(anyHistory, anyPredicate, visibilities),
      fc.tuple(anyShare, anyShare, fc.integer({ min: 1, max: 6 })),
      async ([history, filter, drawn], [one, other, limit]) => {
        await using under = await openMemoryLog();
        const rig = new PastRig(under);
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
          const rig = new PastRig(under);
          await playHistory(rig, history);
          const sinceMs = momentOf(rig, share);
          if (sinceMs < rig.earliestMs()) return;
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
