// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { FieldReader } from "../../model/field-reader.ts";
import type { AccessMarks } from "./delivery-access.ts";

/** The last key part of the row of a `StandingQueryState`. */
export const stateRow = "state";

/** What is known of the rows since the last evaluation. */
export interface KnownRows {
  readonly total: number;
  /** Whether the members are stored one by one; else only their number is compared (SQ13). */
  readonly isExact: boolean;
}

/** Why nothing is evaluated or sent until the query is resumed. Of an earlier generation: it no longer counts. */
export interface StandingHalt {
  readonly kind: "suspended" | "dead";
  readonly reason: string;
  /** The hub's wall clock. */
  readonly atMs: number;
  readonly generation: number;
}

/** A delivery that is being sent. Its body is stored beside the state. */
export interface PendingDelivery {
  readonly id: string;
  readonly failedAttemptCount: number;
  /** Time in which attempts were made and failed. Time without a running hub does not count. */
  readonly failedForMs: number;
  /** The reason of the last failed attempt; "" before one. */
  readonly error: string;
  /** The hub's wall clock; 0 before the first attempt. */
  readonly attemptedAtMs: number;
  /** The rights of the owner that the delivery was evaluated with. Undefined for one of an older hub. */
  readonly access: AccessMarks | undefined;
  /** The state before the evaluation. */
  readonly before: Pick<StandingQueryState, "known" | "isFiring">;
}

/** The state of a standing query that survives a restart. */
export interface StandingQueryState {
  /** Incremented by each write, so that every write changes the row. */
  readonly writeCount: number;
  /** Undefined before the first evaluation. */
  readonly known: KnownRows | undefined;
  readonly isFiring: boolean;
  /** Why the last evaluation failed; "" if it did not. */
  readonly fault: string;
  readonly halt: StandingHalt | undefined;
  readonly pending: PendingDelivery | undefined;
  readonly deliveredCount: number;
  /** The hub's wall clock; 0 before the first delivery. */
  readonly deliveredAtMs: number;
}

/** The state of a query that was never evaluated. */
export const initialStandingState: StandingQueryState = {
  writeCount: 0,
  known: undefined,
  isFiring: false,
  fault: "",
  halt: undefined,
  pending: undefined,
  deliveredCount: 0,
  deliveredAtMs: 0,
};

/** The state after a change of what is evaluated: its halt and its deliveries count on (SQ16). */
export function toRestarted({
  writeCount,
  halt,
  deliveredCount,
  deliveredAtMs,
}: StandingQueryState): StandingQueryState {
  return { ...initialStandingState, writeCount: writeCount + 1, halt, deliveredCount, deliveredAtMs };
}

/** The state as the body of its row. */
export function toStateBody({ pending, ...state }: StandingQueryState): Uint8Array {
  const access = pending?.access && Array.from(pending.access, ([cluster, mark]) => ({ cluster, mark }));
  const stored = pending && { ...pending, access };
  return new TextEncoder().encode(JSON.stringify({ ...state, pending: stored }));
}

/** Parses the output of `toStateBody`. Throws STORE_CORRUPT. */
export function fromStateBody(id: string, body: Uint8Array): StandingQueryState {
  const fields = FieldReader.ofJson(new TextDecoder().decode(body));
  const [known, halt, pending] = [fields.below("known"), fields.below("halt"), fields.below("pending")];
  const state = {
    writeCount: fields.integer("writeCount", { min: 0 }),
    known: known && readKnown(known),
    isFiring: fields.flag("isFiring"),
    fault: fields.text("fault") ?? "",
    halt: halt && readHalt(halt),
    pending: pending && readPending(pending),
    deliveredCount: fields.integer("deliveredCount", { min: 0 }),
    deliveredAtMs: fields.integer("deliveredAtMs", { min: 0 }),
  };
  if (fields.mistakes.length === 0) return state;
  throw new FlotillaError("STORE_CORRUPT", `the state of the standing query ${id} is corrupt; delete the query`);
}

function readKnown(fields: FieldReader): KnownRows {
  return { total: fields.integer("total", { min: 0 }), isExact: fields.flag("isExact") };
}

function readHalt(fields: FieldReader): StandingHalt {
  return {
    kind: fields.requiredText("kind", /^(suspended|dead)$/) === "dead" ? "dead" : "suspended",
    reason: fields.text("reason") ?? "",
    atMs: fields.integer("atMs", { min: 0 }),
    generation: fields.integer("generation", { min: 0 }),
  };
}

function readPending(fields: FieldReader): PendingDelivery {
  const before = fields.below("before");
  const known = before?.below("known");
  return {
    id: fields.requiredText("id"),
    failedAttemptCount: fields.integer("failedAttemptCount", { min: 0 }),
    failedForMs: fields.integer("failedForMs", { min: 0 }),
    error: fields.text("error") ?? "",
    attemptedAtMs: fields.integer("attemptedAtMs", { min: 0 }),
    access: readMarks(fields),
    before: { known: known && readKnown(known), isFiring: before?.flag("isFiring") ?? false },
  };
}

function readMarks(fields: FieldReader): AccessMarks | undefined {
  if (fields.raw("access") === undefined) return undefined;
  return new Map(fields.entries("access").map((entry) => [entry.requiredText("cluster"), entry.requiredText("mark")]));
}
