// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import { isVisible, type Visibility } from "../../rbac/visibility.ts";
import type { FoundRow, QueriedFleet, QueryAnswer, QueryPosition, QueryRequest } from "./query-request.ts";
import { runQuery } from "./run-query.ts";
import { anyContents, anyQuestion, anySort, anyVisibilities, testColumns } from "./testing/any-request.ts";
import { finish } from "./testing/finish.ts";
import { plainFacet, plainGroups, plainRows } from "./testing/plain-answer.ts";
import { PlainFleet, twoClusters } from "./testing/plain-fleet.ts";
import type { PlainRow } from "./testing/plain-values.ts";

const hasher = await createHasher();
const nowMs = 1_000;
const limit = fc.integer({ min: 1, max: 8 });

/** For each place the rows that it has at first, and those that a later batch brings and deletes. */
const perPlace = fc.tuple(anyContents, anyContents, anyContents, anyContents);
const fleetOf = fc.record({ first: perPlace, later: perPlace, deleted: perPlace });

const ask = (fleet: QueriedFleet, request: QueryRequest): QueryAnswer => finish(runQuery(fleet, request));

const found = ({ cluster, resource, row }: FoundRow): FoundRow => ({ cluster, resource, row });

/** One question of one user. Several are asked of each fleet: making a fleet costs more than asking. */
const asked = fc.tuple(anyQuestion, anyVisibilities(twoClusters), limit);

function expectPlainAnswer(fleet: PlainFleet, request: QueryRequest): void {
  const expected = plainRows(fleet.rows(), request);
  const facets = request.facets.map(({ ref }) => plainFacet(expected, ref, nowMs));
  const groups = request.group === undefined ? undefined : plainGroups(expected, request.group, nowMs);
  const joined: FoundRow[] = [];
  let after: QueryPosition | undefined;
  do {
    const answer = ask(fleet.tables, { ...request, after });
    expect(answer.rows.length).toBeLessThanOrEqual(request.limit);
    expect(answer.total).toBe(expected.length);
    expect(answer.facets).toEqual(facets);
    expect(answer.groups).toEqual(groups);
    joined.push(...answer.rows);
    after = answer.next;
  } while (after !== undefined && joined.length <= expected.length);
  expect(joined).toEqual(expected.map(found));
}

test("[Q-6] [Q-8] [Q-37] [QL9] [QL11] [QL12] [QL13] rows, total, facets and groups are those of a plain search", () => {
  fc.assert(
    fc.property(fleetOf, fc.array(asked, { minLength: 4, maxLength: 4 }), (batches, all) => {
      const fleet = new PlainFleet(hasher, testColumns);
      const requests = all.map(
        ([question, visibilityOf, most]): QueryRequest => ({ ...question, visibilityOf, limit: most, nowMs }),
      );
      for (const [at, place] of twoClusters.entries()) fleet.fold(place, batches.first[at] ?? []);
      // The first answers leave counts behind that later ones must not use any more.
      for (const request of requests.slice(0, 2)) expectPlainAnswer(fleet, request);
      for (const [at, place] of twoClusters.entries()) fleet.fold(place, batches.later[at] ?? [], batches.deleted[at]);
      for (const request of requests) expectPlainAnswer(fleet, request);
    }),
    { numRuns: 30 },
  );
});

test("[Q-5] [QL10] paging while rows change yields every unchanged row once", () => {
  fc.assert(
    fc.property(fleetOf, anySort, limit, (batches, sort, most) => {
      const fleet = new PlainFleet(hasher, testColumns);
      for (const [at, place] of twoClusters.entries()) fleet.fold(place, batches.first[at] ?? []);
      const request: QueryRequest = {
        filter: { kind: "all" },
        visibilityOf: () => ({ kind: "all" }),
        limit: most,
        sort,
        facets: [],
        nowMs,
      };
      const before = fleet.rows();
      const seen: FoundRow[] = [];
      let after: QueryPosition | undefined;
      let page = 0;
      do {
        const answer = ask(fleet.tables, { ...request, after });
        seen.push(...answer.rows);
        after = answer.next;
        const place = twoClusters[page % twoClusters.length];
        if (place !== undefined) fleet.fold(place, batches.later[page] ?? [], batches.deleted[page] ?? []);
        page += 1;
        // Every page has a row that no page before it had.
        expect(page).toBeLessThan(200);
      } while (after !== undefined);
      const hashOf = ({ row }: FoundRow): bigint => row.rowHash;
      const kept = new Set(fleet.rows().map(hashOf));
      const unchanged = before.map(hashOf).filter((hash) => kept.has(hash));
      for (const hash of unchanged) expect(seen.filter((each) => hashOf(each) === hash)).toHaveLength(1);
    }),
    { numRuns: 30 },
  );
});

test("[QL13] [QL15] while rows change between slices, each kind is read at one moment with the grants of that moment", () => {
  fc.assert(
    fc.property(
      fleetOf,
      anyQuestion,
      fc.tuple(anyVisibilities(twoClusters), anyVisibilities(twoClusters)),
      limit,
      (batches, question, [grantsBefore, grantsAfter], most) => {
        const fleet = new PlainFleet(hasher, testColumns);
        for (const [at, place] of twoClusters.entries()) fleet.fold(place, batches.first[at] ?? []);
        const read = new Map<string, { readonly rows: readonly PlainRow[]; readonly visibility: Visibility }>();
        let visibilityNow = grantsBefore;
        const visibilityOf = (cluster: string, resource: string): Visibility => {
          const visibility = visibilityNow(cluster, resource);
          const rows = fleet.rows().filter((each) => each.cluster === cluster && each.resource === resource);
          read.set(`${cluster} ${resource}`, { rows, visibility });
          return visibility;
        };
        const request: QueryRequest = { ...question, visibilityOf, limit: most, nowMs };
        const running = runQuery(fleet.tables, request, 1);
        let step = running.next();
        for (let slice = 0; step.done !== true; slice += 1) {
          visibilityNow = slice % 2 === 0 ? grantsAfter : grantsBefore;
          for (const [at, place] of twoClusters.entries())
            if (slice < 2)
              fleet.fold(place, (slice === 0 ? batches.later : batches.first)[at] ?? [], batches.deleted[at]);
          step = running.next();
        }
        const expected = plainRows(
          [...read.values()].flatMap(({ rows }) => rows),
          {
            ...request,
            visibilityOf: (cluster, resource) => read.get(`${cluster} ${resource}`)?.visibility ?? { kind: "none" },
          },
        );
        const { rows, total, facets, groups } = step.value;
        expect(rows).toEqual(expected.slice(0, most).map(found));
        expect(total).toBe(expected.length);
        expect(facets).toEqual(question.facets.map(({ ref }) => plainFacet(expected, ref, nowMs)));
        if (question.group !== undefined) expect(groups).toEqual(plainGroups(expected, question.group, nowMs));
      },
    ),
    { numRuns: 30 },
  );
});

/** The answer, or the code of its refusal. */
function outcomeOf(fleet: QueriedFleet, request: QueryRequest): unknown {
  try {
    // Slices depend on hidden rows too and are for the hub alone.
    const { sliceCount: _, ...shown } = ask(fleet, request);
    return shown;
  } catch (reason) {
    if (reason instanceof FlotillaError) return reason.code;
    throw reason;
  }
}

test("[Q-37] [QL13] [QL15] answers, plans and refusals are those of a fleet that holds only what the user may see", () => {
  const bounds = fc.record({ explain: fc.boolean(), maxRows: fc.integer({ min: 1, max: 40 }) });
  fc.assert(
    fc.property(perPlace, fc.array(fc.tuple(asked, bounds), { minLength: 4, maxLength: 4 }), (contents, all) => {
      const fleet = new PlainFleet(hasher, testColumns);
      for (const [at, place] of twoClusters.entries()) fleet.fold(place, contents[at] ?? []);
      for (const [[question, visibilityOf, most], { explain, maxRows }] of all) {
        const seen = new PlainFleet(hasher, testColumns);
        for (const [at, place] of twoClusters.entries()) {
          const visibility = visibilityOf(place.fields.cluster, place.resource);
          const visible = (contents[at] ?? []).filter(({ namespace, name }) => isVisible(visibility, namespace, name));
          if (visible.length > 0) seen.fold(place, visible);
        }
        const budget = { maxRows, isOver: () => false };
        const request: QueryRequest = { ...question, visibilityOf, limit: most, nowMs, explain, budget };
        expect(outcomeOf(fleet.tables, request)).toEqual(outcomeOf(seen.tables, request));
      }
    }),
    { numRuns: 30 },
  );
});
