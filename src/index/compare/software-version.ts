// SPDX-License-Identifier: Apache-2.0
// Versions of software as tags, labels and columns have them: semantic versions, or a number alone, such as `17`.
import { compareUtf8 } from "../../model/text.ts";
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from "../language/semantic-version.ts";

function parse(text: string): SemanticVersion | undefined {
  return parseSemanticVersion(/^v?\d{1,9}$/.test(text) ? `${text}.0` : text);
}

/** True for a text that has the form of a version with at least two numbers, or begins with `v`. */
export function isSoftwareVersion(text: string): boolean {
  return /^(?:v|\d+\.)\d/.test(text) && parse(text) !== undefined;
}

/** Orders versions, the newest first, equal ones bytewise. Texts that are not versions come last, bytewise. */
export function compareSoftwareVersions(a: string, b: string): number {
  const [one, other] = [parse(a), parse(b)];
  if (one !== undefined && other !== undefined) return compareSemanticVersions(other, one) || compareUtf8(a, b);
  return Number(one === undefined) - Number(other === undefined) || compareUtf8(a, b);
}
