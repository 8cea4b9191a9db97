// SPDX-License-Identifier: Apache-2.0
import { durationWords } from "../../time/duration-words.ts";

/** When a credential ends, in words: "ends in 12 d", "ended 3 h ago". Trouble is a word too, since colour is never the only sign. */
export function credentialWords(endedMs: number, isTrouble: boolean): string {
  if (endedMs >= 0) return `ended ${durationWords(endedMs)} ago: renew it`;
  return `ends in ${durationWords(-endedMs)}${isTrouble ? ": renew it" : ""}`;
}
