// SPDX-License-Identifier: Apache-2.0
// Decodes a JSON object as Kubernetes does: into the Go struct of its kind, stored and encoded again.
import { type Draft, type DraftObject, isList, isObject, setKey } from "../json/json.ts";
import { type Entries, noSourceDetails } from "../json/json-source-details.ts";
import type { ParsedText } from "../json/parse-json.ts";
import { type FieldSchema, type ObjectSchema, type SchemaTable, type TypeRef, zeroOf } from "../schema/schema.ts";
import { decodeScalar, describe, type RawValue } from "./decode-scalar.ts";
import { Decoding, FatalDecodeError, type Place } from "./decoding.ts";
import { cannotBeHandled } from "./decoding-refusals.ts";
import { mergeEntries } from "./merge-repeated.ts";

/** The kind that refusals name. */
export interface CleanOptions {
  readonly version: string;
  readonly kind: string;
  /** The body's text, if the body is unchanged since parsing. */
  readonly parsed?: ParsedText | undefined;
}

/** The result of decoding. */
export interface CleanedObject {
  /** Shares only free-form parts with the body. Keys are in the order of the Go struct. */
  readonly object: DraftObject;
  /**
   * `unknown field "spec.x"` and `duplicate field "data.a"` in document order, at most a hundred. Repeated YAML keys
   * come first.
   */
  readonly complaints: readonly string[];
}

/**
 * Decodes a body of a built-in kind to the object that kube-apiserver would store. Drops unknown fields, treats null as
 * absent, prints or omits empty values as Go does, and normalizes quantities, times and bytes. Throws an ApiError 400
 * for a value of a wrong type. Idempotent.
 */
export function cleanTyped(
  table: SchemaTable,
  schema: ObjectSchema,
  body: DraftObject,
  { version, kind, parsed }: CleanOptions,
): CleanedObject {
  const decoding = new Decoding(table, parsed?.details ?? noSourceDetails);
  try {
    const object = decodeObject(decoding, schema, body);
    if (decoding.error !== undefined) throw cannotBeHandled({ version, kind }, decoding.error);
    const ofText = parsed?.format === "yaml" ? parsed.duplicates : [];
    return { object, complaints: [...ofText, ...decoding.complaints] };
  } catch (reason) {
    throw reason instanceof FatalDecodeError ? cannotBeHandled({ version, kind }, reason.message) : reason;
  }
}

function decodeObject(decoding: Decoding, schema: ObjectSchema, raw: DraftObject): DraftObject {
  const entries = decoding.details.entriesOf(raw);
  const decoded =
    entries === undefined ? decodeFields(decoding, schema, raw) : decodeRepeated(decoding, schema, raw, entries);
  const object: DraftObject = {};
  for (const field of schema.fields.values()) {
    const printed = printField(decoding, field, decoded.get(field.name));
    if (printed !== undefined) setKey(object, field.name, printed);
  }
  return object;
}

type DecodedFields = ReadonlyMap<string, Draft | undefined>;

function decodeFields(decoding: Decoding, schema: ObjectSchema, raw: DraftObject): DecodedFields {
  const decoded = new Map<string, Draft | undefined>();
  for (const key of Object.keys(raw)) {
    const field = schema.fields.get(key);
    const place = { holder: raw, key };
    if (field === undefined) decoding.complainOfUnknown(key);
    else
      decoded.set(
        key,
        decoding.inField(schema, field, () => decodeValue(decoding, field.type, raw[key] ?? null, place)),
      );
  }
  return decoded;
}

/** As `decodeFields`, for an object with repeated keys: every occurrence is checked, and Go merges their values. */
function decodeRepeated(decoding: Decoding, schema: ObjectSchema, raw: DraftObject, entries: Entries): DecodedFields {
  const seen = new Set<string>();
  for (const [key, value] of entries) {
    const field = schema.fields.get(key);
    if (field === undefined) decoding.complainOfUnknown(key);
    else {
      if (seen.has(key)) decoding.complainOfDuplicate(key);
      seen.add(key);
      decoding.inField(schema, field, () => decodeValue(decoding, field.type, value, { holder: raw, key }));
    }
  }
  return decoding.muted(() => decodeFields(decoding, schema, mergeEntries(decoding, schema, entries)));
}

/** Undefined if Go would hold the empty value: null or an empty list or map. */
function decodeValue(decoding: Decoding, type: TypeRef, raw: Draft, place: Place): Draft | undefined {
  if (raw === null) return undefined;
  const { kind } = type;
  switch (kind) {
    case "object":
      if (isObject(raw)) return decodeObject(decoding, decoding.table.object(type.name), raw);
      return decoding.noteMismatch(describe(raw), type);
    case "list":
      return isList(raw) ? decodeList(decoding, type.item, raw) : decoding.noteMismatch(describe(raw), type);
    case "map":
      return isObject(raw) ? decodeMap(decoding, type.value, raw) : decoding.noteMismatch(describe(raw), type);
    case "schemaOrBool":
    case "schemaOrList":
    case "schemaOrStrings":
      return decoding.muted(() => decodeSchemaUnion(decoding, kind, raw, place));
    default:
      return decodeScalar(decoding, type, { kind, value: raw, place });
  }
}

/** Stored objects do not distinguish an empty list from an absent one. */
function decodeList(decoding: Decoding, type: TypeRef, raw: Draft[]): Draft[] | undefined {
  const list = raw.map((item, index) => {
    const decoded = decoding.inPath(index, () => decodeValue(decoding, type, item, { holder: raw, key: index }));
    return decoded ?? emptyValue(decoding, type);
  });
  return list.length === 0 ? undefined : list;
}

function decodeMap(decoding: Decoding, type: TypeRef, raw: DraftObject): DraftObject | undefined {
  for (const key of repeatedKeys(decoding, raw)) decoding.complainOfDuplicate(key);
  const map: DraftObject = {};
  const keys = Object.keys(raw);
  for (const key of keys) {
    const decoded = decoding.inPath(key, () => decodeValue(decoding, type, raw[key] ?? null, { holder: raw, key }));
    setKey(map, key, decoded ?? emptyValue(decoding, type));
  }
  return keys.length === 0 ? undefined : map;
}

function repeatedKeys(decoding: Decoding, raw: DraftObject): readonly string[] {
  const keys = decoding.details.entriesOf(raw)?.map(([key]) => key) ?? [];
  return keys.filter((key, index) => keys.indexOf(key) < index);
}

const jsonSchemaProps = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/**
 * A schema or its alternative. Go drops a value that is neither, except in the union with a boolean, where it refuses
 * it.
 */
function decodeSchemaUnion(
  decoding: Decoding,
  kind: "schemaOrBool" | "schemaOrList" | "schemaOrStrings",
  raw: RawValue,
  place: Place,
): Draft | undefined {
  const schema: TypeRef = { kind: "object", name: jsonSchemaProps };
  if (isObject(raw)) return decodeValue(decoding, schema, raw, place);
  if (kind === "schemaOrBool") {
    if (typeof raw === "boolean") return raw;
    throw new FatalDecodeError("boolean or JSON schema expected");
  }
  const item: TypeRef = kind === "schemaOrList" ? schema : { kind: "string" };
  return isList(raw) ? decodeValue(decoding, { kind: "list", item }, raw, place) : undefined;
}

/** The printed value of a field; undefined to omit it. */
function printField(decoding: Decoding, field: FieldSchema, value: Draft | undefined): Draft | undefined {
  if (value !== undefined && (field.pointer || !field.omitEmpty || !isEmptyScalar(value))) return value;
  if (field.omitEmpty) return undefined;
  return field.pointer ? null : emptyValue(decoding, field.type);
}

function isEmptyScalar(value: Draft): boolean {
  return value === "" || value === 0 || value === 0n || value === false;
}

/** The encoding of a type's empty value in Go, for a field that is not a pointer. */
function emptyValue(decoding: Decoding, type: TypeRef): Draft {
  switch (type.kind) {
    case "object":
      return decodeObject(decoding, decoding.table.object(type.name), {});
    case "string":
    case "duration":
    case "bytes":
      return "";
    default:
      return zeroOf(type);
  }
}
