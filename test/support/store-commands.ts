// SPDX-License-Identifier: Apache-2.0
// Random histories of a store: what the property test lets a store and its model live through.
import * as fc from "fast-check";
import { type Key, put, remove, type Write } from "../../src/store/store.ts";
import { objects, tokens } from "../../src/store/tables.ts";
import type { StoreModel } from "./store-model.ts";
import { body, revision, tokenValue } from "./store-rows.ts";

type AnyTable = typeof objects | typeof tokens;

/** Few keys, so that they meet often; some are prefixes of others, some sort differently in UTF-16. */
const keys = {
  objects: [
    ["w", "r", "n", "x"],
    ["w", "r", "n", "x2"],
    ["w", "r", "n2", "x"],
    ["w", "r2", "n", "～"],
    ["w", "r2", "n", "🚢"],
    ["w2", "r", "", ""],
  ],
  tokens: [
    ["w", "t"],
    ["w", "t2"],
    ["w2", "t"],
  ],
} as const;

interface WriteDraft {
  readonly table: AnyTable;
  readonly key: Key;
  /** Undefined deletes. */
  readonly value: number | undefined;
  readonly expect: "any" | "absent" | "current" | "older";
}

/** A part of the history or of a table: which rows, and where between the oldest and the newest revision. */
interface Place {
  readonly table: AnyTable;
  readonly prefix: Key;
  /** 0 is the oldest revision there is, 1 the newest. */
  readonly at: number;
}

export type Command =
  /** Commits made at the same time. */
  | { readonly kind: "commits"; readonly commits: readonly (readonly WriteDraft[])[] }
  | { readonly kind: "list"; readonly place: Place; readonly limit: number }
  | { readonly kind: "watch"; readonly place: Place }
  | { readonly kind: "compact"; readonly keep: number };

const table = fc.constantFrom<AnyTable>(objects, tokens);

const draft: fc.Arbitrary<WriteDraft> = table.chain((table) =>
  fc.record({
    table: fc.constant(table),
    key: fc.constantFrom<Key>(...keys[table.name]),
    value: fc.option(fc.nat(2), { nil: undefined }),
    expect: fc.constantFrom("any", "any", "absent", "current", "older"),
  }),
);

const commit = fc.uniqueArray(draft, {
  minLength: 1,
  maxLength: 4,
  selector: ({ table, key }) => JSON.stringify([table.name, key]),
});

const place: fc.Arbitrary<Place> = table.chain((table) =>
  fc.record({
    table: fc.constant(table),
    prefix: fc
      .tuple(fc.constantFrom<Key>(...keys[table.name]), fc.nat(table.key.length))
      .map(([key, length]) => key.slice(0, length)),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("commits"), commits: fc.array(commit, { minLength: 1, maxLength: 5 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("list"), place, limit: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("watch"), place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact"), keep: fc.nat(12) }) },
);

/** Histories of up to 40 steps. */
export const history: fc.Arbitrary<readonly Command[]> = fc.array(command, { maxLength: 40 });

/** The write that a draft means where the model now stands. */
export function toWrite(model: StoreModel, { table, key, value, expect }: WriteDraft): Write {
  const current = model.list(table, key, model.head)[0]?.revision ?? 0n;
  const older = current > 0n ? current - 1n : 1n;
  const expectation = expect === "current" ? revision(current) : expect === "older" ? revision(older) : expect;
  if (value === undefined) return remove(table, key, expectation);
  return table.name === "objects"
    ? put(table, key, body(`value ${value}`), expectation)
    : put(table, key, tokenValue(`user ${value}`), expectation);
}

/** The revision that a place means where the model now stands. */
export function toPosition(model: StoreModel, { at }: Place): number {
  return Math.round(at * model.head);
}
