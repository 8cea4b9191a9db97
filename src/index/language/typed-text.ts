// SPDX-License-Identifier: Apache-2.0
// Texts that are compared by what they mean: quantities, versions and IP addresses (QL9).
import { compareUtf8 } from "../../model/text.ts";
import { type AddressBits, compareAddresses, parseAddress } from "./ip-range.ts";
import { parseQuantity } from "./quantity-amount.ts";
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from "./semantic-version.ts";

/** A text by what it means, or a number. */
export type TypedText =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "version"; readonly version: SemanticVersion }
  | { readonly kind: "address"; readonly address: AddressBits }
  | { readonly kind: "text"; readonly text: string };

/** Different meanings in the order in which they are sorted. */
const kinds = ["number", "version", "address", "text"] as const;

/** Columns of these names hold versions: `1.31` is later than `1.9` there, and less as a number. */
export function isVersionColumn(column: string): boolean {
  return /version$/i.test(column);
}

/** The meaning of a text in a column of this name. The same for every cluster and kind. */
export function typeText(text: string, column: string): TypedText {
  const version = parseSemanticVersion(text);
  if (version !== undefined && isVersionColumn(column)) return { kind: "version", version };
  const value = parseQuantity(text);
  if (value !== undefined) return { kind: "number", value };
  if (version !== undefined) return { kind: "version", version };
  const address = parseAddress(text);
  return address === undefined ? { kind: "text", text } : { kind: "address", address };
}

export function compareTypedTexts(a: TypedText, b: TypedText): number {
  if (a.kind === "number" && b.kind === "number") return a.value - b.value;
  if (a.kind === "version" && b.kind === "version") return compareSemanticVersions(a.version, b.version);
  if (a.kind === "address" && b.kind === "address") return compareAddresses(a.address, b.address);
  if (a.kind === "text" && b.kind === "text") return compareUtf8(a.text, b.text);
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind);
}
