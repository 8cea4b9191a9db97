// SPDX-License-Identifier: Apache-2.0
import { mayMisreadKey } from "./misread-key.ts";

/** Properties of a text, found in one pass without building its value. Not reliable for a text that is not JSON. */
export interface JsonScan {
  /** The number of keys of all objects, including repetitions. */
  readonly keyCount: number;
  /** The maximum number of open lists and objects. */
  readonly depth: number;
  /** Whether JSON.parse returns every number and string exactly. */
  readonly isPlain: boolean;
}

/** Integers with at most this many digits are exact in a double: 2^53 has 16. */
const plainDigitCount = 15;

/**
 * Visits every character outside strings. The number of keys differs from that of the parsed value if and only if a key
 * is repeated. This cheap test spares nearly every body the exact reader.
 */
export function scanJson(text: string): JsonScan {
  let keyCount = 0;
  let open = 0;
  let depth = 0;
  // A lone surrogate can only come from an escape. Go replaces it; JSON.parse keeps it.
  let isPlain = !text.includes("\\ud") && !text.includes("\\uD") && !mayMisreadKey(text);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = stringEnd(text, at);
    else if (code === 0x3a) keyCount += 1;
    else if (code === 0x7b || code === 0x5b) {
      open += 1;
      if (open > depth) depth = open;
    } else if (code === 0x7d || code === 0x5d) open -= 1;
    else if (code >= 0x30 && code <= 0x39) {
      const end = digitsEnd(text, at + 1);
      const next = text.charCodeAt(end);
      if (end - at > plainDigitCount || next === 0x2e || next === 0x65 || next === 0x45) isPlain = false;
      at = end - 1;
    }
  }
  return { keyCount, depth, isPlain };
}

function digitsEnd(text: string, from: number): number {
  let end = from;
  for (;;) {
    const code = text.charCodeAt(end);
    if (!(code >= 0x30 && code <= 0x39)) return end;
    end += 1;
  }
}

/** The index of the closing quote of the string that starts at `from`; the end of the text if there is none. */
function stringEnd(text: string, from: number): number {
  let end = from;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let before = end - 1;
    while (text.charCodeAt(before) === 0x5c) before -= 1;
    // An even number of backslashes escape each other and leave the quote alone.
    if ((end - before) % 2 === 1) return end;
  }
}
