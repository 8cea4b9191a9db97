// SPDX-License-Identifier: Apache-2.0
// Objects of the wrong shape: samples with parts replaced by arbitrary JSON, or made far too long.
import * as fc from "fast-check";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A change of one node of a tree: `at` chooses the node among all. */
interface Mutation {
  readonly at: number;
  readonly change: (node: unknown) => unknown;
}

/**
 * Values at which readers stumble: nothing, empty and nested parts, numbers that are no counts, texts that are no
 * names.
 */
const odd = [
  null,
  [],
  {},
  [null],
  [[]],
  [{}],
  -1,
  1.5,
  1e300,
  "",
  "\ud800",
  "://",
  "@",
] as const satisfies readonly Json[];

const replacement: fc.Arbitrary<(node: unknown) => unknown> = fc
  .oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom<unknown>(...odd))
  .map((value) => () => value);

/** Texts, lists and maps made longer than any row; other values stay. */
const inflation: fc.Arbitrary<(node: unknown) => unknown> = fc.constantFrom(1_200, 6_000).map(
  (length) =>
    (node: unknown): unknown =>
      inflate(node, length),
);

function inflate(node: unknown, length: number): unknown {
  if (typeof node === "string") return `${node}${"é".repeat(length)}`;
  if (Array.isArray(node) && node.length > 0) return Array.from({ length }, (_, at): unknown => node[at % node.length]);
  if (typeof node !== "object" || node === null || Array.isArray(node)) return node;
  const more = Array.from({ length }, (_, at): [string, unknown] => [`key-${at}`, `value-${at}`]);
  return Object.fromEntries([...Object.entries(node), ...more]);
}

function toMutations(change: fc.Arbitrary<(node: unknown) => unknown>, maxLength: number): fc.Arbitrary<Mutation[]> {
  const mutation = fc.record({ at: fc.nat({ max: 1_000 }), change });
  return fc.array(mutation, { minLength: 1, maxLength });
}

/** The tree with each mutation applied to the node it chooses. */
function mutate(tree: unknown, mutations: readonly Mutation[]): unknown {
  return mutations.reduce((current, { at, change }) => {
    const count = countNodes(current);
    let left = at % count;
    const visit = (node: unknown): unknown => {
      left -= 1;
      if (left === -1) return change(node);
      if (left < -1 || typeof node !== "object" || node === null) return node;
      if (Array.isArray(node)) return node.map(visit);
      return Object.fromEntries(Object.entries(node).map(([key, value]): [string, unknown] => [key, visit(value)]));
    };
    return visit(current);
  }, tree);
}

function countNodes(node: unknown): number {
  if (typeof node !== "object" || node === null) return 1;
  return Object.values(node).reduce((count: number, each) => count + countNodes(each), 1);
}

/** Keeps the name, because an object without a name has no row. */
function withName(object: unknown): unknown {
  const root: object = typeof object === "object" && object !== null && !Array.isArray(object) ? object : {};
  const metadata: unknown = Object.hasOwn(root, "metadata") ? Reflect.get(root, "metadata") : {};
  const rest: object = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? metadata : {};
  return { ...root, metadata: { ...rest, name: "web", namespace: "shop" } };
}

/** The sample with parts of the wrong type, or with nothing but JSON under the usual names. */
export function misshapen(sample: unknown): fc.Arbitrary<unknown> {
  const value = fc.jsonValue({ maxDepth: 3 });
  const nothingRight = fc.record({ metadata: value, spec: value, status: value, rules: value, endpoints: value });
  const mutated = toMutations(replacement, 4).map((mutations) => mutate(sample, mutations));
  return fc.oneof({ weight: 1, arbitrary: nothingRight }, { weight: 4, arbitrary: mutated }).map(withName);
}

/** The sample with parts far longer than a row. */
export function oversized(sample: unknown): fc.Arbitrary<unknown> {
  return toMutations(inflation, 2).map((mutations) => withName(mutate(sample, mutations)));
}
