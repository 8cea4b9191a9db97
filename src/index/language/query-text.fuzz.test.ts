// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import type { ColumnType } from "../../model/rows/row.ts";
import { checkQuery } from "./check-query.ts";
import { parseCountedFields, parseSort } from "./field-ref.ts";
import { maxQueryLength, parseQuery } from "./parse-query.ts";
import { printPredicate } from "./print-predicate.ts";
import { printQuery } from "./print-query.ts";
import type { QueryCatalog } from "./query-catalog.ts";
import type { Predicate } from "./query-predicate.ts";

const nowMs = Date.parse("2026-01-31T12:00:00Z");
const types: ReadonlySet<ColumnType> = new Set(["string", "integer", "boolean", "stringList", "float"]);

/** Counts what a check asks for: that is its work. */
class CountingCatalog implements QueryCatalog {
  steps = 0;
  readonly kindNames = ["pods", "deployments"];
  readonly columnNames = ["restarts", "version"];

  findKind(name: string): readonly string[] {
    this.steps += 1;
    return this.kindNames.filter((kind) => kind.startsWith(name.toLowerCase()));
  }

  columnTypes(name: string): ReadonlySet<ColumnType> {
    this.steps += 1;
    return this.columnNames.includes(name) ? types : new Set();
  }
}

function leavesOf(
  predicate: Predicate,
): readonly Exclude<Predicate, { readonly kind: "all" | "and" | "or" | "not" }>[] {
  switch (predicate.kind) {
    case "all":
      return [];
    case "and":
    case "or":
      return predicate.parts.flatMap(leavesOf);
    case "not":
      return leavesOf(predicate.of);
    default:
      return [predicate];
  }
}

/** Reads a text and returns its predicate; undefined if it was refused, and only in the one way that is allowed. */
function read(text: string, catalog: QueryCatalog): Predicate | undefined {
  try {
    return checkQuery(parseQuery(text), catalog, nowMs).filter;
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    expect(reason.code).toBe("INVALID_ARGUMENT");
    expect(reason.message).toMatch(/^query, column \d+: ./);
    expect(reason.message.length).toBeLessThan(1_000);
    return undefined;
  }
}

const words = fc.constantFrom(
  ..."cluster ns kind:pod status=unhealthy statsu field.restarts field.version label.a age created at owner image uid".split(
    " ",
  ),
  ..."and or not in( ( ) \" ' \\ = != ~ !~ < <= >= : , - ! * ? now-1h 1h 1Gi 1.31 10.0.0.0/8 2026-01-31 5 a \u{1f600} \ud800 \0".split(
    " ",
  ),
  " ",
  " ",
);
const hostileText = fc.oneof(
  fc.array(words, { maxLength: 30 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .tuple(words, fc.integer({ min: 1, max: 5_000 }))
    .map(([word, count]) => word.repeat(count).slice(0, maxQueryLength + 9)),
);

describe("query text", () => {
  test("[QL1] [Q-13] any text is read or refused as INVALID_ARGUMENT, in steps that its length bounds", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const catalog = new CountingCatalog();
        const predicate = read(text, catalog);
        const leaves = predicate === undefined ? [] : leavesOf(predicate);
        expect(leaves.length).toBeLessThanOrEqual(text.length);
        expect(catalog.steps).toBeLessThanOrEqual(2 * text.length + 2);
      }),
      { numRuns: 600 },
    );
  });

  test("[QL7] [QL15] the text of a part is a query that is checked to the same part", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const catalog = new CountingCatalog();
        const predicate = read(text.toWellFormed(), catalog);
        for (const leaf of (predicate === undefined ? [] : leavesOf(predicate)).slice(0, 20)) {
          const printed = printPredicate(leaf);
          // Resources have a name in the catalog of this test by their own text.
          const [again] = leavesOf(checkQuery(parseQuery(printed), catalog, nowMs).filter);
          expect(again, printed).toEqual(leaf);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("[QL1] any order and list of fields is read or refused as INVALID_ARGUMENT", () => {
    const catalog = new CountingCatalog();
    const parts = fc.array(fc.oneof(words, fc.constantFrom("name", ",", "-age", "field.")), { maxLength: 12 });
    fc.assert(
      fc.property(parts, (list) => {
        for (const parse of [parseSort, (text: string) => parseCountedFields(text, "facets", catalog)]) {
          try {
            parse(list.join(""), catalog);
          } catch (reason) {
            if (!(reason instanceof FlotillaError)) throw reason;
            expect(reason.code).toBe("INVALID_ARGUMENT");
          }
        }
      }),
    );
  });

  test("[QL7] the canonical text of a text that is read is its own canonical text", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        let canonical: string;
        try {
          canonical = printQuery(parseQuery(text));
        } catch (reason) {
          if (reason instanceof FlotillaError) return;
          throw reason;
        }
        if (canonical.length <= maxQueryLength) expect(printQuery(parseQuery(canonical))).toBe(canonical);
      }),
      { numRuns: 300 },
    );
  });
});
