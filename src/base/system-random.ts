// SPDX-License-Identifier: Apache-2.0
import { randomFillSync } from "node:crypto";
import { drawFrom, type Random } from "./random.ts";

const word = new Uint32Array(1);

function uint32(): number {
  randomFillSync(word);
  return word[0] ?? 0;
}

/**
 * The operating system's randomness, suitable for secrets. Passed down by `main/` and the entry file of a worker only.
 */
export const systemRandom: Random = {
  ...drawFrom(uint32),
  bytes: (byteCount) => randomFillSync(new Uint8Array(byteCount)),
};
