// SPDX-License-Identifier: Apache-2.0
// Query texts of every kind, run over rows: each ends within its budget, with an answer or a refusal.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import type { ColumnType } from "../../model/rows/row.ts";
import { checkQuery } from "../language/check-query.ts";
import { parseQuery } from "../language/parse-query.ts";
import { printQuery } from "../language/print-query.ts";
import type { QueryCatalog } from "../language/query-catalog.ts";
import { anyQuery } from "../language/testing/any-query.ts";
import { maxSearchCount } from "../language/text-searches.ts";
import { runQuery } from "./run-query.ts";
import { anyContents, testColumns } from "./testing/any-request.ts";
import { PlainFleet, twoClusters } from "./testing/plain-fleet.ts";

const hasher = await createHasher();
const nowMs = Date.parse("2026-01-31T12:00:00Z");
const types: ReadonlySet<ColumnType> = new Set(["string", "integer", "stringList"]);
const catalog: QueryCatalog = {
  kindNames: ["pods", "deployments"],
  columnNames: ["restarts", "phase", "hosts"],
  findKind: (name) => (name.startsWith("p") ? ["pods"] : name.startsWith("d") ? ["apps/deployments"] : []),
  columnTypes: () => types,
};

const word = fc.constantFrom(
  ..."kind:pods status=unhealthy name~a ns:a,b label.app!=web field.restarts>1 field.hosts~b age<1h owner:a image~n".split(
    " ",
  ),
  ..."and or not ( ) in( , * ? \\ - a web *a*b* created>2026-01-31 field.phase=1.31 field.phase=10.0.0.0/8".split(" "),
);
const anyText = fc.oneof(
  fc.array(word, { maxLength: 20 }).map((words) => words.join(" ")),
  anyQuery.map(printQuery),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.tuple(word, fc.integer({ min: 1, max: 200 })).map(([each, count]) => Array(count).fill(each).join(" or ")),
);

const allowedCodes = ["INVALID_ARGUMENT", "TOO_LARGE", "DEADLINE_EXCEEDED"];

/** Runs to the end, an answer or a refusal. */
function outcomeOf(run: () => void): string {
  try {
    run();
    return "answered";
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    expect(allowedCodes).toContain(reason.code);
    return reason.code;
  }
}

describe("any query text", () => {
  test("[QL15] reads no more visible rows than its budget, and does nothing after its deadline", () => {
    const perPlace = fc.array(anyContents, { minLength: twoClusters.length, maxLength: twoClusters.length });
    const budgets = fc.record({ maxRows: fc.integer({ min: 1, max: 40 }), lookCount: fc.integer({ min: 0, max: 6 }) });
    fc.assert(
      fc.property(perPlace, fc.array(fc.tuple(anyText, budgets), { minLength: 5, maxLength: 5 }), (contents, asked) => {
        const fleet = new PlainFleet(hasher, testColumns);
        for (const [at, place] of twoClusters.entries()) fleet.fold(place, contents[at] ?? []);
        for (const [text, { maxRows, lookCount }] of asked) {
          let looks = 0;
          let stepsAfterEnd = 0;
          const isOver = (): boolean => {
            looks += 1;
            return looks > lookCount;
          };
          const code = outcomeOf(() => {
            const { filter } = checkQuery(parseQuery(text), catalog, nowMs);
            const budget = { maxRows, isOver };
            const request = { filter, visibilityOf: () => ({ kind: "all" as const }), limit: 5, facets: [], nowMs };
            const run = runQuery(fleet.tables, { ...request, explain: true, budget }, 1);
            for (let step = run.next(); ; step = run.next()) {
              if (looks > lookCount) stepsAfterEnd += 1;
              if (step.done !== true) continue;
              expect(step.value.plan?.readRowCount).toBeLessThanOrEqual(maxRows);
              return;
            }
          });
          expect(stepsAfterEnd, text).toBe(0);
          if (looks > lookCount) expect(code, text).toBe("DEADLINE_EXCEEDED");
        }
      }),
      { numRuns: 60 },
    );
  });

  test("[QL1] [QL15] more searches than one query may have are refused before any row is read", () => {
    const searches = (count: number): string => Array.from({ length: count }, (_, at) => `name~*a${at}*z`).join(" or ");
    const check = (text: string): unknown => checkQuery(parseQuery(text), catalog, nowMs);
    expect(() => check(searches(maxSearchCount))).not.toThrow();
    expect(() => check(searches(maxSearchCount + 1))).toThrow(
      "query, column 476: a query has at most 32 words, wildcards and comparisons with ~",
    );
    expect(() => check(`name~in(${"q,".repeat(40)}q)`)).toThrow("at most 32");
    expect(() => check('"a" '.repeat(33))).toThrow("at most 32");
    // Exact names, and patterns of fields with few values, are found without a search.
    expect(() => check(`name:in(${"q,".repeat(500)}q) ns:in(${"q*,".repeat(200)}q)`)).not.toThrow();
  });

  test("[QL15] a query with many searches yields after fewer rows", () => {
    const fleet = new PlainFleet(hasher, testColumns);
    const [first] = fc.sample(anyContents, 1);
    for (const place of twoClusters) fleet.fold(place, first ?? []);
    const slicesOf = (text: string): number => {
      const { filter } = checkQuery(parseQuery(text), catalog, nowMs);
      let count = 1;
      const request = { filter, visibilityOf: () => ({ kind: "all" as const }), limit: 5, facets: [], nowMs };
      for (const _ of runQuery(fleet.tables, request, 600)) count += 1;
      return count;
    };
    expect(slicesOf("name~a")).toBe(1);
    expect(slicesOf(Array(maxSearchCount).fill("name~a").join(" or "))).toBeGreaterThan(2);
  });
});
