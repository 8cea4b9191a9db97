// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkQuery } from "../../index/language/check-query.ts";
import { parseQuery } from "../../index/language/parse-query.ts";
import type { Predicate, TextTest } from "../../index/language/query-predicate.ts";
import { createPatternTest } from "../../index/language/text-pattern.ts";
import { type Status, statuses } from "../../model/status.ts";
import { type ObjectSelection, toGetQuery } from "./get-query.ts";
import { queryAt } from "./query-text.ts";

/** Any kind is known, as a resource of the same name. */
const catalog = {
  findKind: (name: string) => [name],
  kindNames: [],
  columnTypes: () => new Set<never>(),
  columnNames: [],
};
const nowMs = Date.UTC(2026, 0, 31, 12);

function predicateOf(text: string): { readonly filter: Predicate; readonly atMs: number | undefined } {
  return checkQuery(parseQuery(text), catalog, nowMs);
}

/** Texts that the language gives a meaning to, and others. */
const hostileText = fc.string({
  unit: fc.constantFrom(
    "a",
    "b",
    "*",
    "?",
    "\\",
    '"',
    "'",
    ",",
    "(",
    ")",
    " ",
    ":",
    "=",
    "-",
    "in",
    "or",
    "\n",
    "é",
    "!",
    "~",
  ),
  minLength: 1,
  maxLength: 8,
});
const labelText = fc.constantFrom("a", "web", "x-1", "in", "or", "");
const labelKey = fc.constantFrom("app", "app.kubernetes.io/name", "in", "not");
const status: fc.Arbitrary<Status> = fc.constantFrom(...statuses);

interface AnySelection extends ObjectSelection {
  readonly statuses: readonly Status[];
  readonly labels: readonly (readonly [string, string])[];
}

const selection: fc.Arbitrary<AnySelection> = fc
  .record({
    kinds: fc.uniqueArray(hostileText, { minLength: 1, maxLength: 3 }),
    names: fc.uniqueArray(hostileText, { maxLength: 2 }),
    namespace: fc.oneof(fc.constant(""), hostileText),
    clusters: fc.uniqueArray(hostileText, { maxLength: 2 }),
    statuses: fc.uniqueArray(status, { maxLength: 2 }),
    labels: fc.uniqueArray(fc.tuple(labelKey, labelText), { maxLength: 2, selector: ([key]) => key }),
  })
  .map((given) => ({ ...given, selector: given.labels.map(([key, value]) => `${key}=${value}`).join(",") }));

function anyOf(parts: readonly Predicate[]): readonly Predicate[] {
  const [first] = parts;
  if (first === undefined) return [];
  return parts.length === 1 ? [first] : [{ kind: "or", parts }];
}

function equals(text: string): TextTest {
  return { kind: "equals", text };
}

/** What a cluster glob means: `*` and `?` are wildcards, all else is literal. */
function globTest(glob: string): (text: string) => boolean {
  const pieces = Array.from(glob, (each) =>
    each === "*" ? ".*" : each === "?" ? "." : each.replace(/[\\^$.|+()[\]{}]/g, "\\$&"),
  );
  return (text) => new RegExp(`^${pieces.join("")}$`, "s").test(text);
}

function testOf(predicate: Predicate): (text: string) => boolean {
  if (predicate.kind !== "field") throw new Error("not a test of a field");
  const { test: of } = predicate;
  if (of.kind === "equals") return (text) => text === of.text;
  return createPatternTest(of.pattern);
}

test("[CL32] the query of any `get` is read to exactly what was selected, whatever the texts contain", () => {
  fc.assert(
    fc.property(selection, hostileText, (given, tested) => {
      const { filter, atMs } = predicateOf(toGetQuery(given));
      expect(atMs).toBeUndefined();
      const parts = filter.kind === "and" ? filter.parts : [filter];
      const clusterParts = given.clusters.length === 0 ? [] : parts.slice(1, 2);
      const rest = parts.filter((part) => !clusterParts.includes(part));
      expect(rest).toEqual([
        ...anyOf(given.kinds.map((kind) => ({ kind: "resources", resources: [kind] }))),
        ...anyOf(given.namespace === "" ? [] : [{ kind: "field", field: "namespace", test: equals(given.namespace) }]),
        ...anyOf(given.names.map((name) => ({ kind: "field", field: "name", test: equals(name) }))),
        ...anyOf(given.statuses.map((each) => ({ kind: "status", status: each }))),
        ...given.labels.map(([key, value]) => ({ kind: "label", key, test: equals(value) })),
      ]);
      const clusterTests = clusterParts.flatMap((part) => (part.kind === "or" ? part.parts : [part])).map(testOf);
      for (const text of [tested, ...given.clusters])
        expect(clusterTests.some((each) => each(text))).toBe(given.clusters.map(globTest).some((each) => each(text)));
    }),
    { numRuns: 300 },
  );
});

test("[CL32] selectors mean the same as in kubectl: in, notin, exists and its contrary", () => {
  const selected = (selector: string): string =>
    toGetQuery({ kinds: ["pods"], names: [], namespace: "", selector, clusters: [], statuses: [] });
  expect(selected("app in (a,b),tier!=x,!old,new")).toBe(
    "kind=pods label.app=in(a,b) label.tier!=x label.old!=* label.new=*",
  );
  expect(selected("app notin (a,)")).toBe('kind=pods label.app!=in(a,"")');
  expect(() => selected("gen>5")).toThrow("-l with < or > is not supported");
  expect(() => selected("app=(")).toThrow("label selector");
});

test("[CL31] --at applies to the whole query, also one with `or`", () => {
  const status = { kind: "status", status: "unhealthy" };
  const ns = { kind: "field", field: "namespace", test: equals("a") };
  expect(predicateOf(queryAt("status:unhealthy or ns:a", "now-1h"))).toEqual({
    filter: { kind: "or", parts: [status, ns] },
    atMs: nowMs - 3_600_000,
  });
  expect(predicateOf(queryAt(" ", "2026-01-31"))).toMatchObject({ filter: { kind: "all" } });
  expect(queryAt("ns:a", "")).toBe("ns:a");
});
