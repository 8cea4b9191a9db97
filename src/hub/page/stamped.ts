// SPDX-License-Identifier: Apache-2.0
import { isSameBytes } from "./wire-fragment.ts";

/** Encoded bytes, and the step of the board at which they last became others. */
export interface Stamped {
  readonly bytes: Uint8Array;
  readonly step: number;
}

/** These bytes in place of those before; bytes that are the same keep their step, so nobody is sent them again. */
export function stamp(before: Stamped | undefined, bytes: Uint8Array, step: number): Stamped {
  return before !== undefined && isSameBytes(before.bytes, bytes) ? before : { bytes, step };
}

/** Stamped bytes, and the values that they were made of. */
export interface Made extends Stamped {
  readonly from: readonly unknown[];
}

/** The bytes of these values: those before where the values are the same, so that looking again costs no encoding. */
export function make(before: Made | undefined, from: readonly unknown[], step: number, encode: () => Uint8Array): Made {
  if (before?.from.length === from.length && from.every((value, at) => Object.is(value, before.from[at])))
    return before;
  return { ...stamp(before, encode(), step), from };
}
