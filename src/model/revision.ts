// SPDX-License-Identifier: Apache-2.0
import type { Brand } from "../base/brand.ts";
import { FlotillaError } from "../base/error.ts";
import { quote } from "./text.ts";

/** A position in a store's commit order (L1). It only grows; a reader that has seen R has seen everything up to R. */
export type Revision = Brand<bigint, "Revision">;

/** The identity of one store. A restored backup gets a new one. */
export type StoreId = Brand<string, "StoreId">;

/** A position that a client can keep and return. It is valid only in its own store. */
export interface Cursor {
  readonly storeId: StoreId;
  readonly revision: Revision;
}

/** The largest revision, 2^63 - 1: the maximum of a signed 64-bit column in SQLite and PostgreSQL. */
export const maxRevision = 9_223_372_036_854_775_807n;

/** Decimal digits without leading zeros; 19 digits are enough for `maxRevision`. */
const revisionForm = /^(?:0|[1-9][0-9]{0,18})$/;
const storeIdForm = /^[A-Za-z0-9_-]{1,64}$/;

function isRevision(value: bigint): value is Revision {
  return value >= 0n && value <= maxRevision;
}

function isStoreId(text: string): text is StoreId {
  return storeIdForm.test(text);
}

/** Converts a number to a revision. Throws INVALID_ARGUMENT outside 0 to 2^63 - 1 (CO47). */
export function toRevision(value: bigint | number): Revision {
  const wide = typeof value === "bigint" ? value : Number.isSafeInteger(value) ? BigInt(value) : -1n;
  if (isRevision(wide)) return wide;
  throw new FlotillaError("INVALID_ARGUMENT", `revision ${value} is not an integer from 0 to ${maxRevision}`);
}

/** Parses decimal digits. Throws INVALID_ARGUMENT. */
export function parseRevision(text: string): Revision {
  const value = revisionForm.test(text) ? BigInt(text) : -1n;
  if (isRevision(value)) return value;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `revision ${quote(text)} is not a decimal number from 0 to ${maxRevision} without leading zeros`,
  );
}

/** Parses a store id. Throws INVALID_ARGUMENT (CO48). */
export function parseStoreId(text: string): StoreId {
  if (isStoreId(text)) return text;
  throw new FlotillaError("INVALID_ARGUMENT", `store id ${quote(text)} is not 1 to 64 letters, digits, "_" and "-"`);
}

/** `storeId.revision`. */
export function cursorText(cursor: Cursor): string {
  return `${cursor.storeId}.${cursor.revision}`;
}

/**
 * Parses the output of `cursorText`. Throws INVALID_ARGUMENT. It does not check whether the position still exists; the
 * store does (CO49).
 */
export function parseCursor(text: string): Cursor {
  const dot = text.indexOf(".");
  if (dot < 0)
    throw new FlotillaError("INVALID_ARGUMENT", `cursor ${quote(text)} has no "."; it is written storeId.revision`);
  return { storeId: parseStoreId(text.slice(0, dot)), revision: parseRevision(text.slice(dot + 1)) };
}
