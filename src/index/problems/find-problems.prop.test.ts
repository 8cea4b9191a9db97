// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyFleetRows, anyVisibilityOf, visibleRows } from "../relations/testing/any-fleet.ts";
import { type BuiltFleet, buildFleet, finish, seesAll, testHasher } from "../relations/testing/built-fleet.ts";
import type { VisibilityOf } from "../relations/visible-cluster.ts";
import { type FleetProblems, findProblems, type ProblemsRequest } from "./find-problems.ts";
import { listProblemObjects, type ProblemObject } from "./list-problem-objects.ts";
import { keyOfRow, naiveProblems } from "./testing/naive-problems.ts";

function ask(fleet: BuiltFleet, visibilityOf: VisibilityOf, more: Partial<ProblemsRequest> = {}): FleetProblems {
  return finish(findProblems(fleet, { visibilityOf, hasher: testHasher, limit: 1_000, withDegraded: true, ...more }));
}

test("[Q-3] [Q-37] [L17] [PB1, PB2, PB3, PB5, PB6] problems are those of a plain grouping of the visible rows", () => {
  fc.assert(
    fc.property(anyFleetRows, anyVisibilityOf, fc.boolean(), (rows, visibilityOf, withDegraded) => {
      const visible = visibleRows(rows, visibilityOf);
      const expected = naiveProblems(visible, withDegraded ? ["unhealthy", "degraded"] : ["unhealthy"]);
      const answer = ask(buildFleet(rows), visibilityOf, { withDegraded });
      expect(answer.problems).toEqual(expected);
      expect(answer).toMatchObject({
        problemCount: expected.length,
        objectCount: expected.reduce((sum, { objectCount }) => sum + objectCount, 0),
        leftOutCount: 0,
      });
    }),
    { numRuns: 80 },
  );
});

test("[Q-37] [PB1] hidden rows change nothing: the answer is that of a fleet without them", () => {
  fc.assert(
    fc.property(anyFleetRows, anyVisibilityOf, (rows, visibilityOf) => {
      const only = buildFleet(visibleRows(rows, visibilityOf));
      expect(ask(buildFleet(rows), visibilityOf)).toEqual(ask(only, seesAll));
    }),
    { numRuns: 30 },
  );
});

test("[PB7] the pages of a problem have each of its objects once, in key order", () => {
  fc.assert(
    fc.property(anyFleetRows, anyVisibilityOf, fc.integer({ min: 1, max: 3 }), (rows, visibilityOf, limit) => {
      const fleet = buildFleet(rows);
      const { problems } = ask(fleet, visibilityOf);
      const troubled = visibleRows(rows, visibilityOf).filter(({ content }) =>
        ["unhealthy", "degraded"].includes(content.status),
      );
      const all: ProblemObject[] = [];
      for (const { id, objectCount, objects, rootCount } of problems) {
        const found: ProblemObject[] = [];
        let after: ProblemObject["key"] | undefined;
        do {
          const request = { id, after, limit, visibilityOf, hasher: testHasher, withDegraded: true };
          const page = finish(listProblemObjects(fleet, request));
          expect(page.objects.length).toBeLessThanOrEqual(limit);
          found.push(...page.objects);
          expect(found.length).toBeLessThanOrEqual(objectCount);
          after = page.next;
        } while (after !== undefined);
        expect(found).toHaveLength(objectCount);
        expect(found.slice(0, 10).map(({ key }) => key)).toEqual(objects);
        expect(found.filter(({ isRoot }) => isRoot).length).toBeLessThanOrEqual(rootCount);
        all.push(...found);
      }
      const text = (key: object): string => JSON.stringify(key);
      expect(new Set(all.map(({ key }) => text(key)))).toEqual(new Set(troubled.map((row) => text(keyOfRow(row)))));
      expect(all).toHaveLength(troubled.length);
    }),
    { numRuns: 30 },
  );
});

test("[PB6] [L13] no more problems are held than the bound, and every other object is counted", () => {
  fc.assert(
    fc.property(anyFleetRows, fc.integer({ min: 1, max: 4 }), (rows, maxHeld) => {
      const fleet = buildFleet(rows);
      const [whole, cut] = [ask(fleet, seesAll), ask(fleet, seesAll, { maxHeld })];
      expect(cut.problemCount).toBe(Math.min(maxHeld, whole.problemCount));
      expect(cut.objectCount + cut.leftOutCount).toBe(whole.objectCount);
      for (const problem of cut.problems) expect(whole.problems).toContainEqual(problem);
      expect(ask(fleet, seesAll, { limit: 1 }).problems).toEqual(whole.problems.slice(0, 1));
    }),
    { numRuns: 30 },
  );
});
