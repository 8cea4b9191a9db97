// SPDX-License-Identifier: Apache-2.0
// Metadata of objects without a Go type: custom resources and their embedded resources.
import {
  copyJson,
  type Draft,
  type DraftObject,
  getKey,
  isList,
  isObject,
  type Json,
  setKey,
} from "../../json/json.ts";
import { parseTimeMs } from "../../table/age.ts";
import { isInt64 } from "./number-checks.ts";

/**
 * Normalized metadata with the paths of unknown fields in document order, or Go's message for a value of a wrong type.
 */
export type DecodedMeta =
  | { readonly meta: DraftObject; readonly unknown: readonly string[]; readonly error?: undefined }
  | { readonly error: string };

/** Decodes metadata. Null gives empty metadata. Empty values are omitted, as in Go's JSON. */
export function decodeObjectMeta(value: Json): DecodedMeta {
  const unknown: string[] = [];
  try {
    const decoded = decodeStruct(value, objectMeta, { go: "", path: "" }, unknown);
    return { meta: decoded, unknown };
  } catch (reason) {
    if (reason instanceof WrongType) return { error: reason.message };
    throw reason;
  }
}

/** Go's message for the first value of a wrong type. */
class WrongType extends Error {}

type FieldType = "string" | "int64" | "bool" | "time" | "raw" | ListType | StructType | typeof textMap;

interface ListType {
  readonly item: "string" | StructType;
}

interface StructType {
  readonly goName: string;
  readonly fields: ReadonlyMap<string, FieldType>;
  /** Fields that are written even if empty. */
  readonly always: readonly string[];
}

/** The location of a value: its Go struct and its path of fields. */
interface Place {
  readonly go: string;
  readonly path: string;
}

const textMap = "map[string]string";

const ownerReference: StructType = {
  goName: "OwnerReference",
  fields: new Map<string, FieldType>([
    ["apiVersion", "string"],
    ["kind", "string"],
    ["name", "string"],
    ["uid", "string"],
    ["controller", "bool"],
    ["blockOwnerDeletion", "bool"],
  ]),
  always: ["apiVersion", "kind", "name", "uid"],
};

const managedFieldsEntry: StructType = {
  goName: "ManagedFieldsEntry",
  fields: new Map<string, FieldType>([
    ["manager", "string"],
    ["operation", "string"],
    ["apiVersion", "string"],
    ["time", "time"],
    ["fieldsType", "string"],
    ["fieldsV1", "raw"],
    ["subresource", "string"],
  ]),
  always: [],
};

const objectMeta: StructType = {
  goName: "ObjectMeta",
  fields: new Map<string, FieldType>([
    ["name", "string"],
    ["generateName", "string"],
    ["namespace", "string"],
    ["selfLink", "string"],
    ["uid", "string"],
    ["resourceVersion", "string"],
    ["generation", "int64"],
    ["creationTimestamp", "time"],
    ["deletionTimestamp", "time"],
    ["deletionGracePeriodSeconds", "int64"],
    ["labels", textMap],
    ["annotations", textMap],
    ["ownerReferences", { item: ownerReference }],
    ["finalizers", { item: "string" }],
    ["managedFields", { item: managedFieldsEntry }],
  ]),
  always: [],
};

function decodeStruct(value: Json, type: StructType, at: Place, unknown: string[], prefix = ""): DraftObject {
  const decoded: DraftObject = {};
  for (const name of type.always) decoded[name] = "";
  if (value === null) return decoded;
  if (!isObject(value)) throw wrongType(value, at, `v1.${type.goName}`);
  for (const key of Object.keys(value)) {
    const fieldType = type.fields.get(key);
    if (fieldType === undefined) {
      unknown.push(`${prefix}${key}`);
      continue;
    }
    const place = { go: type.goName, path: at.path === "" ? key : `${at.path}.${key}` };
    const field = decodeField(getKey(value, key) ?? null, fieldType, place, { unknown, prefix: `${prefix}${key}` });
    if (field !== undefined && (key === "deletionGracePeriodSeconds" || !isEmpty(field))) setKey(decoded, key, field);
  }
  return decoded;
}

interface Unknowns {
  readonly unknown: string[];
  readonly prefix: string;
}

/** Decodes a field; undefined for null. */
function decodeField(value: Json, type: FieldType, at: Place, { unknown, prefix }: Unknowns): Draft | undefined {
  if (value === null) return undefined;
  if (type === textMap) return decodeTextMap(value, at);
  if (typeof type === "string") return decodeScalar(value, type, at);
  if (!("item" in type)) return decodeStruct(value, type, at, unknown, `${prefix}.`);
  const { item } = type;
  if (!isList(value)) throw wrongType(value, at, item === "string" ? "[]string" : `[]v1.${item.goName}`);
  return value.map((one, index) =>
    item === "string" ? decodeText(one, at) : decodeStruct(one, item, at, unknown, `${prefix}[${index}].`),
  );
}

function decodeTextMap(value: Exclude<Json, null>, at: Place): DraftObject {
  if (!isObject(value)) throw wrongType(value, at, textMap);
  const decoded: DraftObject = {};
  for (const key of Object.keys(value)) setKey(decoded, key, decodeText(getKey(value, key) ?? null, at));
  return decoded;
}

function decodeScalar(
  value: Exclude<Json, null>,
  type: "string" | "int64" | "bool" | "time" | "raw",
  at: Place,
): Draft {
  if (type === "raw") return copyJson(value);
  if (type === "string") return decodeText(value, at);
  if (type === "time") return decodeTime(decodeText(value, at));
  if (type === "bool") {
    if (typeof value === "boolean") return value;
    throw wrongType(value, at, "bool");
  }
  if (typeof value !== "number" && typeof value !== "bigint") throw wrongType(value, at, "int64");
  if (!isInt64(value)) throw wrongType(value, at, "int64", ` ${value}`);
  return value;
}

function decodeText(value: Json, at: Place): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  throw wrongType(value, at, "string");
}

/** Converts a time to the server's form: UTC, whole seconds. */
function decodeTime(text: string): string {
  const timeMs = parseTimeMs(text);
  if (timeMs === undefined) {
    const quoted = JSON.stringify(text);
    throw new WrongType(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
  }
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, "Z");
}

function wrongType(value: Exclude<Json, null>, at: Place, goType: string, literal = ""): WrongType {
  const where = at.path === "" ? `Go value of type ${goType}` : `Go struct field ${at.go}.${at.path} of type ${goType}`;
  return new WrongType(`json: cannot unmarshal ${jsonTypeOf(value)}${literal} into ${where}`);
}

function jsonTypeOf(value: Exclude<Json, null>): string {
  if (typeof value === "bigint") return "number";
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "object") return typeof value;
  return isList(value) ? "array" : "object";
}

/**
 * Whether Go's omitempty omits the value. False is not omitted: `controller` and `blockOwnerDeletion` are pointers in
 * Go.
 */
function isEmpty(value: Draft): boolean {
  if (isList(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === "" || value === 0;
}
