// SPDX-License-Identifier: Apache-2.0
// Converts between the store's interface (typed rows, bigint revisions) and the engine's (joined keys, bytes, safe
// integers).
import { FlotillaError } from "../base/error.ts";
import { toRevision } from "../model/revision.ts";
import type { CommitOutcome, Fence, Key, TableRow, Write } from "./store.ts";
import type { EngineChange, EngineRow, EngineUnit, UnitOutcome } from "./store-engine.ts";
import { decodeValue, encodeValue, isUnder, joinKey, splitKey, type TableSpec } from "./table.ts";

/**
 * Converts a commit for the engine: joins keys and encodes values. Throws INVALID_ARGUMENT if it writes a row twice
 * (ST2).
 */
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

/** The joined key after which a page starts. */
export function toAfter(table: TableSpec, prefix: string, after: Key): string {
  const joined = joinKey(table, after);
  if (isUnder(prefix, joined)) return joined;
  throw new FlotillaError("INVALID_ARGUMENT", `a page of ${table.name} cannot start behind a key outside its prefix`);
}

/** The changes of a group in revision order, in the form of the change log. */
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

/** Converts the engine's outcome. Throws the error of a unit that failed. */
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
