// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { ErrorCode } from "../../base/error-codes.ts";

/** SQLite's primary result codes (the low byte of the extended ones) that callers can handle. */
const byResultCode: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  5: ["UNAVAILABLE", "is locked by another process"],
  8: ["UNAVAILABLE", "cannot be written: the file or its folder is read-only"],
  10: ["UNAVAILABLE", "cannot be read or written: the disk reports an error"],
  11: ["STORE_CORRUPT", "is damaged; restore a backup"],
  13: ["STORE_FULL", "cannot grow: the disk is full; free some space"],
  14: ["UNAVAILABLE", "cannot be opened; check that the folder exists and may be written"],
  26: ["STORE_FOREIGN", "is not a database; move it away or name another data directory"],
};

/** Converts an error of node:sqlite. Any other error is a bug and is returned unchanged. */
export function toStoreError(reason: unknown, file: string): unknown {
  if (reason instanceof FlotillaError || !(reason instanceof Error) || !("errcode" in reason)) return reason;
  const known = byResultCode[Number(reason.errcode) & 0xff];
  if (known === undefined) return reason;
  const [code, what] = known;
  return new FlotillaError(code, `${file} ${what}`, { cause: reason, ids: { file } });
}
