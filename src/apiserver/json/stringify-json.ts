// SPDX-License-Identifier: Apache-2.0
import type { Json } from "./json.ts";

declare global {
  interface JSON {
    /** Text that JSON.stringify takes over as it is; TypeScript's own library does not know it yet. */
    rawJSON(text: string): object;
  }
}

/** The value as JSON text, every digit of a bigint included. */
export function stringifyJson(value: Json): string {
  // A replacer makes JSON.stringify several times slower, and hardly any object holds an integer that needs one: that one is found by the refusal.
  try {
    return JSON.stringify(value);
  } catch (reason) {
    if (!holdsBigint(value)) throw reason;
  }
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? JSON.rawJSON(String(part)) : part));
}

function holdsBigint(value: Json): boolean {
  if (typeof value === "bigint") return true;
  if (typeof value !== "object" || value === null) return false;
  for (const part of Object.values(value)) if (holdsBigint(part)) return true;
  return false;
}
