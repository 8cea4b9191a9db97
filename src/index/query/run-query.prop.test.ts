// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClusterId } from "../../model/cluster-id.ts";
import { parseResourceId } from "../../model/gvr.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import type { Row, RowContent, RowDelete } from "../../model/rows/row.ts";
import { RowSealer } from "../../model/rows/row-sealer.ts";
import { compareUtf8 } from "../../model/text.ts";
import { isVisible, type Visibility } from "../../rbac/visibility.ts";
import { anyVisibility } from "../scan/testing/any-visibility.ts";
import { holdsFor } from "../scan/testing/holds-for.ts";
import { anyPredicate, smallColumns, smallContent } from "../scan/testing/small-rows.ts";
import { FleetTables } from "./fleet-tables.ts";
import {
  type FoundRow,
  facetNames,
  type QueryAnswer,
  type QueryKey,
  type QueryRequest,
  runQuery,
} from "./run-query.ts";

const hasher = await createHasher();
const nowMs = 1_000;
const places = ["east", "west"].flatMap((cluster) =>
  ["apps/deployments", "pods"].map((resource) => ({ cluster, resource })),
);
const fieldsOf = new Map(
  ["east", "west"].map((cluster) => [
    cluster,
    { cluster, region: cluster === "east" ? "eu" : "us", environment: "prod" },
  ]),
);

const keyOf = ({ namespace, name }: RowDelete | RowContent): string => `${namespace}/${name}`;
const contents = fc.uniqueArray(smallContent, { selector: keyOf, maxLength: 10 });
/** For each place the rows that it has at first, and those that a later batch brings and deletes. */
const fleetOf = fc.record({
  first: fc.tuple(contents, contents, contents, contents),
  later: fc.tuple(contents, contents, contents, contents),
  deleted: fc.tuple(contents, contents, contents, contents),
});

class Oracle {
  readonly tables = new FleetTables();
  readonly #rows = new Map<string, FoundRow>();

  fold(place: (typeof places)[number], brought: readonly RowContent[], deleted: readonly RowContent[] = []): void {
    const { cluster, resource } = place;
    const sealer = new RowSealer(parseClusterId(cluster), parseResourceId(resource), hasher);
    const deletes = deleted.map(({ namespace, name, uid }) => ({ namespace, name, uid: uid === "" ? uid : "" }));
    const rows = brought.map((each) => sealer.seal(each));
    const content = { resource: parseResourceId(resource), kind: "Thing", columns: smallColumns, rows, deletes };
    const batch = decodeRowBatch(encodeRowBatch(content, hasher), hasher);
    const fields = fieldsOf.get(cluster);
    if (fields !== undefined) this.tables.fold(fields, resource, batch.parts, () => undefined);
    for (const each of deletes) this.#rows.delete(`${cluster} ${resource} ${keyOf(each)}`);
    for (const row of batch.rows()) this.#rows.set(`${cluster} ${resource} ${keyOf(row)}`, { cluster, resource, row });
  }

  /** The answer the plain way, without pages. */
  answer({ filter, visibilityOf }: QueryRequest): readonly FoundRow[] {
    return [...this.#rows.values()]
      .filter(({ cluster, resource, row }) => {
        const fields = fieldsOf.get(cluster);
        if (fields === undefined || !isVisible(visibilityOf(cluster, resource), row.namespace, row.name)) return false;
        return holdsFor(filter, { row, resource, fields, nowMs });
      })
      .sort(
        (a, b) =>
          compareUtf8(a.cluster, b.cluster) ||
          compareUtf8(a.resource, b.resource) ||
          compareUtf8(a.row.namespace, b.row.namespace) ||
          compareUtf8(a.row.name, b.row.name),
      );
  }
}

function ask(tables: FleetTables, request: QueryRequest): QueryAnswer {
  const running = runQuery(tables, request);
  for (;;) {
    const step = running.next();
    if (step.done === true) return step.value;
  }
}

function countsOf(rows: readonly FoundRow[], valueOf: (found: FoundRow) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const found of rows) counts.set(valueOf(found), (counts.get(valueOf(found)) ?? 0) + 1);
  return counts;
}

const valueOf = {
  cluster: ({ cluster }: FoundRow) => cluster,
  kind: ({ resource }: FoundRow) => resource,
  status: ({ row }: FoundRow) => row.status,
  namespace: ({ row }: FoundRow) => row.namespace,
};

function visibilities(all: readonly Visibility[]): QueryRequest["visibilityOf"] {
  const byPlace = new Map(places.map(({ cluster, resource }, at) => [`${cluster} ${resource}`, all[at]] as const));
  return (cluster, resource) => byPlace.get(`${cluster} ${resource}`) ?? { kind: "none" };
}

test("[Q-6] [Q-8] [Q-37] rows, total and facets equal those of a plain search over what the user may see", () => {
  fc.assert(
    fc.property(
      fleetOf,
      anyPredicate,
      fc.tuple(anyVisibility, anyVisibility, anyVisibility, anyVisibility),
      fc.integer({ min: 1, max: 8 }),
      (fleet, filter, allowed, limit) => {
        const oracle = new Oracle();
        for (const [at, place] of places.entries()) oracle.fold(place, fleet.first[at] ?? []);
        for (const [at, place] of places.entries()) oracle.fold(place, fleet.later[at] ?? [], fleet.deleted[at]);
        const request = { filter, visibilityOf: visibilities(allowed), limit, facets: facetNames, nowMs };
        const expected = oracle.answer(request);
        const joined: FoundRow[] = [];
        let after: QueryKey | undefined;
        do {
          const answer = ask(oracle.tables, { ...request, after });
          joined.push(...answer.rows);
          after = answer.next;
          expect(answer.rows.length).toBeLessThanOrEqual(limit);
          expect(answer.total).toBe(expected.length);
          for (const name of facetNames)
            expect(new Map(answer.facets.get(name)?.map(({ value, count }) => [value, count] as const))).toEqual(
              countsOf(expected, valueOf[name]),
            );
        } while (after !== undefined);
        expect(joined).toEqual(expected);
      },
    ),
    { numRuns: 120 },
  );
});

test("[Q-5] paging while rows change yields every unchanged row once", () => {
  fc.assert(
    fc.property(fleetOf, fc.integer({ min: 1, max: 6 }), (fleet, limit) => {
      const oracle = new Oracle();
      for (const [at, place] of places.entries()) oracle.fold(place, fleet.first[at] ?? []);
      const request: QueryRequest = {
        filter: { kind: "all" },
        visibilityOf: () => ({ kind: "all" }),
        limit,
        facets: [],
        nowMs,
      };
      const before = oracle.answer(request);
      const seen: FoundRow[] = [];
      let after: QueryKey | undefined;
      let page = 0;
      do {
        const answer = ask(oracle.tables, { ...request, after });
        seen.push(...answer.rows);
        after = answer.next;
        const place = places[page % places.length];
        if (place !== undefined) oracle.fold(place, fleet.later[page] ?? [], fleet.deleted[page] ?? []);
        page += 1;
      } while (after !== undefined);
      const hashOf = ({ row }: { readonly row: Row }): bigint => row.rowHash;
      const kept = new Set(oracle.answer(request).map(hashOf));
      const unchanged = before.map(hashOf).filter((hash) => kept.has(hash));
      for (const hash of unchanged) expect(seen.filter((found) => hashOf(found) === hash)).toHaveLength(1);
    }),
    { numRuns: 80 },
  );
});
