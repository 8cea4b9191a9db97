// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { type QuerySyntax, type QueryValue, queryOperators } from "../query-syntax.ts";

const field = fc.constantFrom(
  "cluster",
  "ns",
  "name",
  "status",
  "label.app.kubernetes.io/name",
  "field.restarts",
  "and",
);

/** Patterns whose escapes are whole, and that one kind of quotes can hold. */
const value: fc.Arbitrary<QueryValue> = fc
  .array(
    fc.oneof(
      fc.constantFrom("a", "B", "*", "?", " ", "(", ",", "é", ":", "in", "\\*", '\\"', "\\\\"),
      fc.constantFrom('"', "x"),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => ({ pattern: parts.join(""), at: 0 }));

const leaf: fc.Arbitrary<QuerySyntax> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), value }),
  fc.record({
    kind: fc.constant("compare" as const),
    field,
    operator: fc.constantFrom(...queryOperators),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
    at: fc.constant(0),
  }),
);

function joinParts(kind: "and" | "or", parts: readonly QuerySyntax[]): QuerySyntax {
  return { kind, parts: parts.flatMap((part) => (part.kind === kind ? part.parts : [part])) };
}

/** Any syntax tree that a parser can return, with every position 0. */
export const anyQuery: fc.Arbitrary<QuerySyntax> = fc.letrec<{ readonly query: QuerySyntax }>((tie) => ({
  query: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc
      .tuple(fc.constantFrom("and" as const, "or" as const), fc.array(tie("query"), { minLength: 2, maxLength: 4 }))
      .map(([kind, parts]) => joinParts(kind, parts)),
    tie("query").map((of): QuerySyntax => (of.kind === "not" ? of.of : { kind: "not", of })),
  ),
})).query;
