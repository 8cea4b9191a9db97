// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";

/** A version by its precedence: numbers, then the identifiers of a preview. */
export interface SemanticVersion {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** Empty for a release, which is later than its previews. */
  readonly preview: readonly string[];
}

/** At least two numbers. Build metadata after `+` has no precedence. */
const form = /^v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,128}))?(?:\+[0-9A-Za-z.-]{1,128})?$/;

/** Parses `1.31`, `v1.31.2` or `v1.30.5-gke.1014001`; undefined for any other text. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, major = "0", minor = "0", patch = "0", preview] = match;
  return { numbers: [Number(major), Number(minor), Number(patch)], preview: preview?.split(".") ?? [] };
}

/** Compares by the precedence of semver.org. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [at, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.preview.length === 0 || b.preview.length === 0) return b.preview.length - a.preview.length;
  for (const [at, identifier] of a.preview.entries()) {
    const other = b.preview[at];
    if (other === undefined) return 1;
    const order = compareIdentifiers(identifier, other);
    if (order !== 0) return order;
  }
  return a.preview.length - b.preview.length;
}

/** Numbers come before other identifiers and are compared by value. */
function compareIdentifiers(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  return (aIsNumber ? Number(a) - Number(b) : 0) || compareUtf8(a, b);
}
