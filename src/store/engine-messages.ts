// SPDX-License-Identifier: Apache-2.0
// Between what callers of the store say and what engines are told: typed rows and bigint revisions on one side, joined keys,
// bytes and safe integers on the other.
import { FlotillaError } from "../base/error.ts";
import { toRevision } from "../model/revision.ts";
import type { CommitOutcome, Fence, Key, TableRow, Write } from "./store.ts";
import type { EngineChange, EngineRow, EngineUnit, UnitOutcome } from "./store-engine.ts";
import { decodeValue, encodeValue, isUnder, joinKey, splitKey, type TableSpec } from "./table.ts";

/** A commit as the engine takes it: keys joined, values encoded, refused if it is not one (ST2). */
export function toUnit(writes: readonly Write[], fence: Fence | undefined): EngineUnit {
  const seen = new Set<string>();
  const encoded = writes.map(({ table, key, value, expect }) => {
    const joined = joinKey(table, key);
    const place = `${table.name}\u001f${joined}`;
    if (seen.has(place))
      throw new FlotillaError("INVALID_ARGUMENT", `one commit writes the same row of ${table.name} twice`);
    seen.add(place);
    const body = value === null ? null : encodeValue(table, value);
    return { table: table.name, key: joined, body, expect: typeof expect === "bigint" ? Number(expect) : expect };
  });
  return {
    writes: encoded,
    ...(fence === undefined ? {} : { fence: { lease: fence.lease, epoch: Number(fence.epoch) } }),
  };
}

/** The key that a page starts behind. */
export function toAfter(table: TableSpec, prefix: string, after: Key): string {
  const joined = joinKey(table, after);
  if (isUnder(prefix, joined)) return joined;
  throw new FlotillaError("INVALID_ARGUMENT", `a page of ${table.name} cannot start behind a key outside its prefix`);
}

/** What the units of a group changed, in revision order, as the change log holds it. */
export function toChanges(units: readonly EngineUnit[], outcomes: readonly UnitOutcome[]): readonly EngineChange[] {
  return units.flatMap((unit, unitIndex) => {
    const outcome = outcomes[unitIndex];
    if (outcome?.kind !== "committed") return [];
    return unit.writes.flatMap(({ table, key, body }, writeIndex) => {
      const result = outcome.results[writeIndex];
      if (result?.changed !== true) return [];
      const { revision, previousRevision, removed } = result;
      return [
        { revision, table, key, isDelete: body === null, previousRevision, body: body ?? removed ?? new Uint8Array() },
      ];
    });
  });
}

export function toRow<T extends TableSpec>(table: T, row: EngineRow): TableRow<T> {
  return { key: splitKey(row.key), revision: toRevision(row.revision), value: decodeValue(table, row.body) };
}

/** What the engine decided, for whoever committed. Throws what kept a commit from being decided. */
export function toOutcome(outcome: UnitOutcome): CommitOutcome {
  switch (outcome.kind) {
    case "committed": {
      const revisions = outcome.results.map((result) => toRevision(result.revision));
      const newest = Math.max(0, ...outcome.results.map((result) => result.revision));
      return { kind: "committed", revision: toRevision(newest), revisions };
    }
    case "conflict":
      return { kind: "conflict", writeIndex: outcome.writeIndex, actual: toRevision(outcome.actual) };
    case "fenced":
      return { kind: "fenced", epoch: BigInt(outcome.epoch) };
    case "failed":
      throw new FlotillaError(outcome.code, outcome.message, { ids: outcome.ids });
  }
}
