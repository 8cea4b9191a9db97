// SPDX-License-Identifier: Apache-2.0
import { isSameBytes } from "./wire-fragment.ts";

/** Encoded bytes and the step of their last change. */
export interface Stamped {
  readonly bytes: Uint8Array;
  readonly step: number;
}

/** Replaces the previous bytes. Equal bytes keep their step, so that they are not sent again. */
export function stamp(before: Stamped | undefined, bytes: Uint8Array, step: number): Stamped {
  return before !== undefined && isSameBytes(before.bytes, bytes) ? before : { bytes, step };
}

/** Stamped bytes and the values from which they were encoded. */
export interface MemoizedEncoding extends Stamped {
  readonly from: readonly unknown[];
}

/** Encodes the values, or returns the previous result if they are the same. */
export function memoizeEncoding(
  before: MemoizedEncoding | undefined,
  from: readonly unknown[],
  step: number,
  encode: () => Uint8Array,
): MemoizedEncoding {
  if (before?.from.length === from.length && from.every((value, at) => Object.is(value, before.from[at])))
    return before;
  return { ...stamp(before, encode(), step), from };
}
