// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import type { EngineUnit, EngineWrite, UnitOutcome, WriteResult } from "./store-engine.ts";

/** A row's current state inside the transaction. */
export interface CurrentRow {
  readonly revision: number;
  readonly body: Uint8Array;
}

/**
 * The engine operations used to decide and write a group. All of them run inside one transaction that the engine owns.
 */
export interface CommitBackend {
  /** Throws a FlotillaError only if this row alone cannot be read. Other errors are thrown unchanged. */
  current(table: string, key: string): CurrentRow | undefined;
  /** The epoch of a lease; 0 if it was never acquired. */
  leaseEpoch(name: string): number;
  /** Writes or removes the row and appends its change record. Returns the new revision. */
  write(write: EngineWrite, previousRevision: number): number;
}

/** Decides and writes the units of one group in order, each completely or not at all (ST4 to ST6). */
export function commitUnits(backend: CommitBackend, units: readonly EngineUnit[]): readonly UnitOutcome[] {
  return units.map((unit) => commitUnit(backend, unit));
}

// All expectations are checked before the first write, so a refused unit has written nothing and needs no rollback.
function commitUnit(backend: CommitBackend, unit: EngineUnit): UnitOutcome {
  if (unit.fence !== undefined) {
    const epoch = backend.leaseEpoch(unit.fence.lease);
    if (epoch !== unit.fence.epoch) return { kind: "fenced", epoch };
  }
  const found = readRows(backend, unit);
  if ("kind" in found) return found;
  for (const [writeIndex, write] of unit.writes.entries()) {
    const actual = found[writeIndex]?.revision ?? 0;
    if (!isExpected(write.expect, actual)) return { kind: "conflict", writeIndex, actual };
  }
  return { kind: "committed", results: unit.writes.map((write, index) => applyWrite(backend, write, found[index])) };
}

/**
 * The current rows. A FlotillaError (such as a missing key) fails only this unit; any other error ends the transaction.
 */
function readRows(backend: CommitBackend, unit: EngineUnit): readonly (CurrentRow | undefined)[] | UnitOutcome {
  try {
    return unit.writes.map((write) => backend.current(write.table, write.key));
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return { kind: "failed", code: reason.code, message: reason.message, ids: reason.ids };
  }
}

function isExpected(expect: EngineWrite["expect"], actual: number): boolean {
  if (expect === "any") return true;
  return expect === "absent" ? actual === 0 : actual === expect;
}

function applyWrite(backend: CommitBackend, write: EngineWrite, current: CurrentRow | undefined): WriteResult {
  const previousRevision = current?.revision ?? 0;
  if (isUnchanged(write.body, current)) return { changed: false, revision: previousRevision, previousRevision };
  const revision = backend.write(write, previousRevision);
  const removed = write.body === null ? current?.body : undefined;
  return { changed: true, revision, previousRevision, ...(removed === undefined ? {} : { removed }) };
}

function isUnchanged(body: Uint8Array | null, current: CurrentRow | undefined): boolean {
  if (body === null || current === undefined) return body === null && current === undefined;
  return hasEqualBytes(body, current.body);
}

export function hasEqualBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
