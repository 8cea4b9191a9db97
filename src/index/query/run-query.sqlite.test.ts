// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createHasher } from "../../model/rows/hasher.ts";
import { type FieldRef, parseSort } from "../language/field-ref.ts";
import { anyPredicate } from "../scan/testing/small-rows.ts";
import type { QueryRequest } from "./query-request.ts";
import { runQuery } from "./run-query.ts";
import { anyContents, anyVisibilities, testColumns } from "./testing/any-request.ts";
import { finish } from "./testing/finish.ts";
import { PlainFleet, twoClusters } from "./testing/plain-fleet.ts";
import { predicateSql, SqliteFleet, sqlFields } from "./testing/sqlite-fleet.ts";

const hasher = await createHasher();
const nowMs = 1_000;
const catalog = { columnTypes: () => new Set(["integer"] as const), columnNames: [] };

/** Orders as queries and as SQL. */
const orders = [
  ["", []],
  ["-age", ["created is null", "created"]],
  ["created", ["created is null", "created"]],
  ["-created,name", ["created is null", "created desc", "name"]],
  ["status,-name", ["rank", "name desc"]],
  ["-label.app", ["label_app is null", "label_app desc"]],
  ["reason,-cluster", ["nullif(reason, '') is null", "reason", "cluster desc"]],
  ["-field.restarts,-namespace", ["restarts is null", "restarts desc", "namespace = ''", "namespace desc"]],
] as const;

function refOf(field: string): FieldRef {
  const [found] = parseSort(field, catalog);
  if (found === undefined) throw new Error(`${field} is a field`);
  return found.ref;
}

test("[Q-6] [Q-8] [QL9] [QL11] totals, order and facets equal those of SQLite with RBAC as a join", () => {
  fc.assert(
    fc.property(
      fc.tuple(anyContents, anyContents, anyContents, anyContents),
      fc.array(anyPredicate, { minLength: 6, maxLength: 6 }),
      fc.constantFrom(...orders),
      anyVisibilities(twoClusters),
      (contents, predicates, [sort, sqlOrder], visibilityOf) => {
        const fleet = new PlainFleet(hasher, testColumns);
        for (const [at, place] of twoClusters.entries()) fleet.fold(place, contents[at] ?? []);
        using sqlite = new SqliteFleet(fleet.rows(), twoClusters, visibilityOf);
        for (const filter of predicates) {
          const where = predicateSql(filter, nowMs);
          if (where === undefined) continue;
          const request: QueryRequest = {
            filter,
            visibilityOf,
            limit: 1_000,
            sort: parseSort(sort, catalog),
            facets: Object.keys(sqlFields)
              .slice(0, 8)
              .map((field) => ({ ref: refOf(field) })),
            nowMs,
          };
          const answer = finish(runQuery(fleet.tables, request));
          const keys = answer.rows.map(
            ({ cluster, resource, row }) => `${cluster} ${resource} ${row.namespace}/${row.name}`,
          );
          expect(keys, where).toEqual(sqlite.keys(where, sqlOrder));
          expect(answer.total).toBe(keys.length);
          for (const [at, sql] of Object.values(sqlFields).slice(0, 8).entries()) {
            const { values = [], noneCount = 0 } = answer.facets[at] ?? {};
            const counted = sqlite.counts(where, sql);
            const ofValues = counted.filter(([value]) => value !== null);
            expect(values.map(({ value, count }) => [value, count])).toEqual(ofValues);
            expect(noneCount).toBe(counted.find(([value]) => value === null)?.[1] ?? 0);
          }
        }
      },
    ),
    { numRuns: 25 },
  );
});
