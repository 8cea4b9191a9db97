// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import { suggestion } from "../../base/nearest.ts";
import { FieldReader } from "../../model/field-reader.ts";
import { maxNameBytes } from "../../model/object-name.ts";
import { quote, utf8ByteCount } from "../../model/text.ts";
import { type IdentityMapping, isSystemName } from "./identity-mapping.ts";

/** Longest prefix in bytes; prefixes are words such as `oidc:` or the address of an issuer. */
const maxPrefixBytes = 256;

/** Most users, and most groups, that a mapping replaces. */
const maxEntries = 10_000;

/** Most groups of the cluster for one group of the hub. */
const maxGroupsPerEntry = 100;

/** Mistakes in one message; the rest is counted. */
const maxShownMistakes = 5;

const fields = ["userPrefix", "groupPrefix", "groups", "users"];

/**
 * Reads a mapping from JSON: `{"userPrefix": "oidc:", "groupPrefix": "oidc:", "users": {"alice": "alice@corp"},
 * "groups": {"hub-devs": ["devs", "on-call"]}}`. Each field may be absent. Throws INVALID_ARGUMENT with a sentence for
 * each mistake; `name` is what the mapping is called there.
 */
export function parseIdentityMapping(value: unknown, name: string): IdentityMapping {
  const reader = new FieldReader(value ?? []);
  const mapping = {
    userPrefix: prefixOf(reader, "userPrefix"),
    groupPrefix: prefixOf(reader, "groupPrefix"),
    groups: new Map(entriesOf(reader, "groups").map(([from, to]) => [from, groupsOf(reader, from, to)] as const)),
    users: new Map(
      entriesOf(reader, "users").map(([from, to]) => [from, nameOf(reader, `users[${quote(from)}]`, to)] as const),
    ),
  };
  for (const field of Object.keys(isMap(value) ? value : {})) {
    if (!fields.includes(field))
      reader.mistake(quote(field), `is not a known field${suggestion(field, fields, String)}`);
  }
  const sentences = reader.mistakes.map((each) =>
    each.field === "" ? each.sentence : `${each.field} ${each.sentence}`,
  );
  if (sentences.length === 0) return mapping;
  const shown = sentences.slice(0, maxShownMistakes);
  const rest = sentences.length - shown.length;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `${name}: ${shown.join("; ")}${rest === 0 ? "" : `; and ${rest} more mistakes`}`,
  );
}

function prefixOf(reader: FieldReader, field: string): string {
  const prefix = reader.text(field) ?? "";
  const fault = faultOf(prefix, maxPrefixBytes);
  if (prefix !== "" && fault !== undefined) reader.mistake(field, fault);
  return prefix;
}

function entriesOf(reader: FieldReader, field: string): readonly (readonly [string, unknown])[] {
  const value = reader.raw(field) ?? {};
  if (!isMap(value)) {
    reader.mistake(field, "must be a map from names at the hub to names in the cluster");
    return [];
  }
  const entries = Object.entries(value);
  if (entries.length > maxEntries) reader.mistake(field, `must have at most ${maxEntries} entries`);
  return entries.slice(0, maxEntries);
}

function groupsOf(reader: FieldReader, from: string, to: unknown): readonly string[] {
  const field = `groups[${quote(from)}]`;
  if (!Array.isArray(to)) {
    reader.mistake(field, "must be a list of groups of the cluster");
    return [];
  }
  if (to.length > maxGroupsPerEntry) reader.mistake(field, `must have at most ${maxGroupsPerEntry} groups`);
  return to.slice(0, maxGroupsPerEntry).map((group: unknown, at) => nameOf(reader, `${field}[${at}]`, group));
}

function nameOf(reader: FieldReader, field: string, value: unknown): string {
  const fault = typeof value === "string" ? faultOf(value, maxNameBytes) : "must be text; put it in quotes";
  if (fault !== undefined) reader.mistake(field, fault);
  return typeof value === "string" ? value : "";
}

function faultOf(name: string, maxBytes: number): string | undefined {
  if (name === "") return "must not be empty";
  if (!name.isWellFormed() || utf8ByteCount(name) > maxBytes)
    return `must be well-formed text of at most ${maxBytes} bytes`;
  if (isSystemName(name)) return "must not begin with system:, which is for names that the cluster itself gives";
  return undefined;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
