// SPDX-License-Identifier: Apache-2.0
// The interface of an engine, in messages that can cross a thread: texts, safe integers and bytes. The engine runs in
// its own thread, or in this one under simulated time; the store calls it through a `WorkerPort` in both cases.
import { type ErrorIds, FlotillaError } from "../base/error.ts";
import type { ErrorCode } from "../base/error-codes.ts";
import type { WorkerPort } from "../base/worker-port.ts";

export interface EngineState {
  readonly storeId: string;
  readonly revision: number;
  readonly compactedRevision: number;
}

/** A write with its key joined and its value encoded (table.ts). */
export interface EngineWrite {
  readonly table: string;
  readonly key: string;
  readonly body: Uint8Array | null;
  readonly expect: "any" | "absent" | number;
}

/** Writes that take effect together (ST4). */
export interface EngineUnit {
  readonly writes: readonly EngineWrite[];
  readonly fence?: { readonly lease: string; readonly epoch: number };
}

/** The result of one write. If `changed` is false, `revision` is the row's current one, 0 for no row. */
export interface WriteResult {
  readonly changed: boolean;
  readonly revision: number;
  readonly previousRevision: number;
  /** The value that a delete removed. */
  readonly removed?: Uint8Array;
}

export type UnitOutcome =
  | { readonly kind: "committed"; readonly results: readonly WriteResult[] }
  | { readonly kind: "conflict"; readonly writeIndex: number; readonly actual: number }
  | { readonly kind: "fenced"; readonly epoch: number }
  /** One of its rows cannot be read, so nothing was written. Fails only this unit, not the whole group. */
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string; readonly ids: ErrorIds };

export interface EngineRow {
  readonly key: string;
  readonly revision: number;
  readonly body: Uint8Array;
}

export interface ListRequest {
  readonly table: string;
  /** From joinPrefix. */
  readonly prefix: string;
  readonly after?: string;
  readonly asOf?: number;
  readonly limit: number;
  /** The page ends with the row that reaches this size. */
  readonly bytesLimit: number;
}

export interface EnginePage {
  readonly rows: readonly EngineRow[];
  readonly revision: number;
  readonly more: boolean;
}

export interface EngineChange {
  readonly revision: number;
  readonly table: string;
  readonly key: string;
  readonly isDelete: boolean;
  readonly previousRevision: number;
  /** The new value, or the removed value for a delete. */
  readonly body: Uint8Array;
}

export interface ChangesRequest {
  readonly after: number;
  readonly limit: number;
  readonly bytesLimit: number;
}

export interface ChangesPage {
  readonly changes: readonly EngineChange[];
  /** The newest revision of the store at that moment. */
  readonly headRevision: number;
}

export interface CompactRequest {
  /** Changes at or after this wall time of the engine's own clock are kept. */
  readonly beforeMs: number;
  readonly keepCount: number;
  /** The limit on changes removed in this call. */
  readonly limit: number;
}

export type LeaseReply =
  | { readonly kind: "held"; readonly epoch: number; readonly expiresInMs: number }
  | { readonly kind: "taken"; readonly holder: string; readonly expiresInMs: number };

type Answer<Value> = Value | Promise<Value>;

/** One engine of desired state. Calls are answered in order. Reads before the compacted revision throw GONE. */
export interface StoreEngine {
  state(): Answer<EngineState>;
  /** Commits all units in one transaction, durable when answered. If it throws, nothing of any unit is kept. */
  commit(units: readonly EngineUnit[]): Answer<readonly UnitOutcome[]>;
  get(table: string, key: string): Answer<EngineRow | undefined>;
  list(request: ListRequest): Answer<EnginePage>;
  changes(request: ChangesRequest): Answer<ChangesPage>;
  /** Removes one bounded set of changes. `more`: another call would remove more. */
  compact(request: CompactRequest): Answer<{ readonly compactedRevision: number; readonly more: boolean }>;
  acquireLease(name: string, holder: string, ttlMs: number): Answer<LeaseReply>;
  releaseLease(name: string, holder: string): Answer<boolean>;
  /**
   * Visits up to `limit` bodies from `position` on and re-encrypts those not under the newest key. No `next`: all were
   * visited.
   */
  rewrapBodies(position: string, limit: number): Answer<{ readonly rewrapped: number; readonly next?: string }>;
  close(): Answer<void>;
}

export type StorePort = WorkerPort<StoreEngine>;

/** Throws GONE for a compacted revision (ST17). Every engine calls this before it reads history. */
export function assertRetained(revision: number, compactedRevision: number): void {
  if (revision >= compactedRevision) return;
  throw new FlotillaError(
    "GONE",
    `revision ${revision} is compacted away (the oldest kept is ${compactedRevision}): list again, then watch from there`,
    {
      ids: { revision, compactedRevision },
    },
  );
}
