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
