// SPDX-License-Identifier: Apache-2.0
import type { Brand } from "../base/brand.ts";
import { FlotillaError } from "../base/error.ts";
import { isDnsLabel, maxDnsLabelLength } from "./dns-name.ts";
import { quote } from "./text.ts";

/** The name of one registered cluster, a DNS label (CO1). It is the same text in rows, pages, logs and metrics. */
export type ClusterId = Brand<string, "ClusterId">;

function isClusterId(text: string): text is ClusterId {
  return isDnsLabel(text);
}

function faultOf(text: string): string {
  if (text === "") return "is empty";
  if (text.length > maxDnsLabelLength) return `has ${text.length} characters, the most is ${maxDnsLabelLength}`;
  const at = text.search(/[^-a-z0-9]/);
  if (at >= 0) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    return `has ${quote(character)} at position ${at + 1}`;
  }
  return text.startsWith("-") ? 'begins with "-"' : 'ends with "-"';
}

/** Parses a cluster id. Throws INVALID_ARGUMENT with the mistake and the allowed form. */
export function parseClusterId(text: string): ClusterId {
  if (isClusterId(text)) return text;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `cluster id ${quote(text)} ${faultOf(text)}; it must be a DNS label: lower-case letters, digits and "-", such as "production-east"`,
  );
}
