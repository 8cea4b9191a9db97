// SPDX-License-Identifier: Apache-2.0

/** The lifetime of a token to be created. */
export interface TokenLife {
  /** From its creation. Undefined: no expiry of its own. */
  readonly ttlMs: number | undefined;
  /** Wall time at which the creating token ends; the new token ends no later (RP56). Undefined: no such limit. */
  readonly makerEndsAtMs?: number | undefined;
}

/** Wall time at which a token created at `createdAtMs` expires; undefined: never. */
export function expiryOf({ ttlMs, makerEndsAtMs }: TokenLife, createdAtMs: number): number | undefined {
  const ends = [
    ...(ttlMs === undefined ? [] : [createdAtMs + ttlMs]),
    ...(makerEndsAtMs === undefined ? [] : [makerEndsAtMs]),
  ];
  return ends.length === 0 ? undefined : Math.min(...ends);
}
