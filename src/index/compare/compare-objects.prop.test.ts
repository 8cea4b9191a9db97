// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toRowHash } from "../../model/rows/row.ts";
import { compareUtf8 } from "../../model/text.ts";
import { isVisible } from "../../rbac/visibility.ts";
import { selectRows } from "../relations/table-selection.ts";
import { anyFleetRows, anyVisibilityOf, visibleRows } from "../relations/testing/any-fleet.ts";
import { type BuiltFleet, type BuiltRow, buildFleet, finish } from "../relations/testing/built-fleet.ts";
import type { BaselineDifference } from "./baseline-difference.ts";
import type { ComparedObject } from "./compare-object.ts";
import { type ComparedPage, compareObjects, compareWithCluster } from "./compare-objects.ts";
import { rowFields } from "./compared-fields.ts";
import { firstComparedKeys } from "./compared-keys.ts";
import { type ComparedKey, type ComparisonScope, compareComparedKeys } from "./object-presence.ts";
import { compareObject } from "./testing/compare-one.ts";

const clusters = ["east", "west", "empty"];
/** The index has everything but the Pods of one cluster. */
const isComplete = (cluster: string, resource: string): boolean => cluster !== "empty" || resource !== "pods";

const keyOf = ({ resource, content: { namespace, name } }: BuiltRow): ComparedKey => ({ resource, namespace, name });

function sameKey(row: BuiltRow, key: ComparedKey): boolean {
  return compareComparedKeys(keyOf(row), key) === 0;
}

/** Fields of a row as JSON texts. */
function fieldsOf({ resource, content }: BuiltRow): ReadonlyMap<string, string> {
  const fields = rowFields(resource, { ...content, rowHash: toRowHash(0n) });
  return new Map(Array.from(fields, ([field, value]) => [field, JSON.stringify(value)]));
}

/** Clusters by presence, and the names of differing fields, the plain way. */
function naive(visible: readonly BuiltRow[], { visibilityOf }: ComparisonScope, key: ComparedKey) {
  const present = visible.filter((row) => sameKey(row, key));
  const canSee = (cluster: string): boolean => isVisible(visibilityOf(cluster, key.resource), key.namespace, key.name);
  const absent = clusters.filter((cluster) => canSee(cluster) && !present.some((row) => row.cluster === cluster));
  const fields = present.map(fieldsOf);
  const names = new Set(fields.flatMap((each) => [...each.keys()]));
  return {
    presentIn: present.map(({ cluster }) => cluster).sort(compareUtf8),
    missingIn: absent.filter((cluster) => isComplete(cluster, key.resource)).sort(compareUtf8),
    unknownIn: absent.filter((cluster) => !isComplete(cluster, key.resource)),
    noAccessIn: clusters.filter((cluster) => !canSee(cluster)).sort(compareUtf8),
    fields: [...names].filter((name) => new Set(fields.map((each) => each.get(name))).size > 1).sort(compareUtf8),
  };
}

function seen({ presentIn, missingIn, unknownIn, noAccessIn, differences }: ComparedObject): object {
  return { presentIn, missingIn, unknownIn, noAccessIn, fields: differences.map(({ field }) => field) };
}

function allPages<Compared>(
  ask: (after: ComparedKey | undefined) => Generator<void, ComparedPage<Compared>, undefined>,
  limit: number,
): readonly Compared[] {
  const found: Compared[] = [];
  let after: ComparedKey | undefined;
  do {
    const page = finish(ask(after));
    expect(page.objects.length).toBeLessThanOrEqual(limit);
    found.push(...page.objects);
    expect(found.length).toBeLessThan(100);
    after = page.next;
  } while (after !== undefined);
  return found;
}

/** Selects unhealthy rows. */
const unhealthyIn = (fleet: BuiltFleet) => (cluster: string, resource: string) => {
  const table = fleet.get(cluster)?.tables.get(resource);
  return selectRows((rows, count) => {
    let kept = 0;
    for (const row of rows.slice(0, count))
      if (table?.statuses.values[row] === 0) {
        rows[kept] = row;
        kept += 1;
      }
    return kept;
  }, table?.count ?? 0);
};

test("[Q-37] [CM1, CM3] an object is compared over the clusters in which the subject may see it", () => {
  fc.assert(
    fc.property(anyFleetRows, anyVisibilityOf, (rows, visibilityOf) => {
      const scope = { visibilityOf, clusters, isComplete };
      const visible = visibleRows(rows, visibilityOf);
      const [whole, only] = [buildFleet(rows), buildFleet(visible)];
      for (const key of rows.map(keyOf)) {
        const compared = finish(compareObject(whole, { ...scope, key }));
        expect(seen(compared)).toEqual(naive(visible, scope, key));
        expect(compared).toEqual(finish(compareObject(only, { ...scope, key })));
        for (const { values } of compared.differences)
          expect(values.flatMap((each) => each.clusters).sort(compareUtf8)).toEqual(compared.presentIn);
      }
    }),
    { numRuns: 40 },
  );
});

test("[Q-37] [CM4] the pages of a comparison have every selected key of a visible row once, in order", () => {
  fc.assert(
    fc.property(
      anyFleetRows,
      anyVisibilityOf,
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      (rows, visibilityOf, limit, onlyDifferent) => {
        const fleet = buildFleet(rows);
        const scope = { visibilityOf, clusters, isComplete };
        const selected = visibleRows(rows, visibilityOf).filter(({ content }) => content.status === "unhealthy");
        const keys = [...new Map(selected.map((row) => [JSON.stringify(keyOf(row)), keyOf(row)])).values()]
          .sort(compareComparedKeys)
          .map((key) => finish(compareObject(fleet, { ...scope, key })))
          .filter(({ missingIn, differences }) => !onlyDifferent || missingIn.length + differences.length > 0);
        const request = { ...scope, limit, onlyDifferent, selectionOf: unhealthyIn(fleet) };
        const found = allPages((after) => compareObjects(fleet, { ...request, after }), limit);
        expect(found).toEqual(keys);
      },
    ),
    { numRuns: 40 },
  );
});

test("[Q-37] [CM4] the first keys after a key are those of all visible rows in order", () => {
  fc.assert(
    fc.property(anyFleetRows, anyVisibilityOf, fc.integer({ min: 1, max: 4 }), (rows, visibilityOf, count) => {
      const keys = visibleRows(rows, visibilityOf).map(keyOf).sort(compareComparedKeys);
      const unique = keys.filter((key, at) => at === 0 || compareComparedKeys(key, keys[at - 1] ?? key) !== 0);
      const scope = { visibilityOf, clusters, isComplete };
      const fleet = buildFleet(rows);
      for (const [at, after] of [undefined, ...unique].entries())
        expect(finish(firstComparedKeys(fleet, scope, { after, count }))).toEqual(unique.slice(at, at + count));
    }),
    { numRuns: 30 },
  );
});

test("[Q-37] [CM6] the differences from a baseline are those of each object the subject may see there", () => {
  fc.assert(
    fc.property(anyFleetRows, anyVisibilityOf, (rows, visibilityOf) => {
      const scope = { visibilityOf, clusters, isComplete };
      const visible = visibleRows(rows, visibilityOf);
      const ask = (fleet: BuiltFleet) =>
        allPages((after) => compareWithCluster(fleet, "east", { ...scope, limit: 7, after }), 7);
      const found = ask(buildFleet(rows));
      expect(found).toEqual(ask(buildFleet(visible)));
      const unique = [...new Map(visible.map((row) => [JSON.stringify(keyOf(row)), keyOf(row)])).values()];
      const expected = unique.sort(compareComparedKeys).flatMap((key): readonly object[] => {
        const { presentIn, missingIn } = naive(visible, scope, key);
        const own = visible.find((row) => row.cluster === "east" && sameKey(row, key));
        const other = visible.find((row) => row.cluster === "west" && sameKey(row, key));
        if (own === undefined)
          return missingIn.includes("east") ? [{ key, missingIn: [], extraIn: presentIn, fields: [] }] : [];
        const [mine, theirs] = [fieldsOf(own), other === undefined ? undefined : fieldsOf(other)];
        const names = theirs === undefined ? [] : [...new Set([...mine.keys(), ...theirs.keys()])];
        const fields = names.filter((name) => mine.get(name) !== theirs?.get(name)).sort(compareUtf8);
        return missingIn.length + fields.length === 0 ? [] : [{ key, missingIn, extraIn: [], fields }];
      });
      const shown = ({ resource, namespace, name, missingIn, extraIn, differences }: BaselineDifference) => ({
        key: { resource, namespace, name },
        missingIn,
        extraIn,
        fields: differences.map(({ field }) => field),
      });
      expect(found.map(shown)).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});
