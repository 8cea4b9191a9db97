// SPDX-License-Identifier: Apache-2.0
// The text form of one type in the generated table. It is small, and parsed at first use. Members are separated by `|`:
// - `=atomic` or `=granular`: the map type.
// - `+NUMBER TYPE`: an inlined struct with its protobuf number.
// - `NAME TYPE FLAGS WORDS`: a field. FLAGS are r (required), o (omitEmpty), p (pointer), then the protobuf number.
//   WORDS start with d (default, JSON), e (enum, `~` for a space), l (list type), k (list map keys), m (map type),
//   s (patch strategies) or y (patch merge key).
// TYPE is the sign of a scalar, `[` list of, `{` map of, `Name` in the same package, or `INDEX:Name` in another.
import { assert } from "../../base/assert.ts";
import type { Json } from "../json/json.ts";
import type { FieldSchema, ScalarType, TypeRef } from "./schema.ts";

/**
 * The sign of each scalar type. Names of structs start with a capital or a digit, so they cannot be mistaken for signs.
 */
export const scalarSigns: Readonly<Record<ScalarType, string>> = {
  string: "s",
  boolean: "b",
  int32: "i",
  int64: "l",
  double: "d",
  bytes: "y",
  time: "t",
  microTime: "m",
  duration: "u",
  quantity: "q",
  intOrString: "o",
  json: "j",
  schemaOrBool: "v",
  schemaOrList: "w",
  schemaOrStrings: "x",
};

/** A struct whose fields replace one field. On the wire it is a message of its own, if it has a number. */
export interface InlinedType {
  readonly name: string;
  readonly protobufNumber: number | undefined;
}

export interface ParsedType {
  readonly mapType: "atomic" | "granular" | undefined;
  readonly members: readonly (FieldSchema | { readonly inlined: InlinedType })[];
}

/** Returns the full name for `Name` or `INDEX:Name`. */
export type FullName = (short: string) => string;

export function parseType(text: string, fullName: FullName): ParsedType {
  let mapType: ParsedType["mapType"];
  const members: ParsedType["members"][number][] = [];
  for (const part of text === "" ? [] : text.split("|")) {
    if (part === "=atomic" || part === "=granular") {
      mapType = part === "=atomic" ? "atomic" : "granular";
    } else if (part.startsWith("+")) {
      const [number = "", name = ""] = part.slice(1).split(" ");
      members.push({ inlined: { name: fullName(name), protobufNumber: toNumber(number) } });
    } else {
      members.push(parseField(part, fullName));
    }
  }
  return { mapType, members };
}

function parseField(text: string, fullName: FullName): FieldSchema {
  const [name = "", type = "", flags = "", ...words] = text.split(" ");
  const option = (sign: string): string | undefined => words.find((word) => word.startsWith(sign))?.slice(1);
  const given = option("d");
  return {
    name,
    type: parseRef(type, fullName),
    required: flags.startsWith("r"),
    omitEmpty: flags.includes("o"),
    pointer: flags.includes("p"),
    protobufNumber: toNumber(flags.replace(/^[rop]*/, "")),
    default: given === undefined ? undefined : (JSON.parse(given) as Json),
    enum: option("e")?.replaceAll("~", " ").split(","),
    listType: oneOf(option("l"), ["atomic", "set", "map"]),
    listMapKeys: option("k")?.split(","),
    mapType: oneOf(option("m"), ["atomic", "granular"]),
    patchStrategies: (option("s")?.split(",") ?? []).flatMap((word) => toStrategy(word) ?? []),
    patchMergeKey: option("y"),
  };
}

function toStrategy(word: string): FieldSchema["patchStrategies"][number] | undefined {
  return oneOf(word, ["merge", "replace", "retainKeys"]);
}

function oneOf<T extends string>(text: string | undefined, allowed: readonly T[]): T | undefined {
  return allowed.find((each) => each === text);
}

function toNumber(text: string): number | undefined {
  return text === "" ? undefined : Number(text);
}

/** Scalar types are shared: the table has two thousand fields of fifteen types. */
const scalarRefs: ReadonlyMap<string, TypeRef> = new Map(
  Object.entries(scalarSigns).map(([kind, sign]) => [sign, { kind: kind as ScalarType }]),
);

function parseRef(text: string, fullName: FullName): TypeRef {
  const scalar = scalarRefs.get(text);
  if (scalar !== undefined) return scalar;
  if (text.startsWith("[")) return { kind: "list", item: parseRef(text.slice(1), fullName) };
  if (text.startsWith("{")) return { kind: "map", value: parseRef(text.slice(1), fullName) };
  assert(/^(?:\d+:)?[A-Z]/.test(text), "the schema table names a type");
  return { kind: "object", name: fullName(text) };
}
