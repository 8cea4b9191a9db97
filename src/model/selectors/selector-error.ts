// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** Longest selector in characters (CO55): fits the request line of common servers. */
export const maxSelectorLength = 16_384;

/** Throws INVALID_ARGUMENT for a selector. The position counts from 0 here and from 1 in the message. */
export function refuseSelector(what: "label" | "field", at: number, fault: string): never {
  throw new FlotillaError("INVALID_ARGUMENT", `${what} selector, position ${at + 1}: ${fault}`, {
    ids: { position: at + 1 },
  });
}
