// SPDX-License-Identifier: Apache-2.0
import { durationWords } from "../../time/duration-words.ts";

/**
 * The end of a credential in words: "ends in 12 d", "ended 3 h ago". A problem is also a word, because colour is never
 * the only sign.
 */
export function credentialWords(endedMs: number, isTrouble: boolean): string {
  if (endedMs >= 0) return `ended ${durationWords(endedMs)} ago: renew it`;
  return `ends in ${durationWords(-endedMs)}${isTrouble ? ": renew it" : ""}`;
}
