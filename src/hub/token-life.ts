// SPDX-License-Identifier: Apache-2.0

/** How long a token is to be good for. */
export interface TokenLife {
  /** From its making; undefined: it does not expire by itself. */
  readonly ttlMs: number | undefined;
  /** Wall clock time at which the token ends that it is made with; it outlives that by nothing (RP56). Undefined: there is no such end. */
  readonly makerEndsAtMs?: number | undefined;
}

/** When a token ends that is made at this time; undefined: never. */
export function expiryOf({ ttlMs, makerEndsAtMs }: TokenLife, createdAtMs: number): number | undefined {
  const ends = [
    ...(ttlMs === undefined ? [] : [createdAtMs + ttlMs]),
    ...(makerEndsAtMs === undefined ? [] : [makerEndsAtMs]),
  ];
  return ends.length === 0 ? undefined : Math.min(...ends);
}
