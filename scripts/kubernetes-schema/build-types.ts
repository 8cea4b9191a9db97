// SPDX-License-Identifier: Apache-2.0
// Merges the facts of each type from Go, protobuf and OpenAPI. Throws if two sources disagree.
import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../src/apiserver/json/json.ts";
import type { FieldSchema, TypeRef } from "../../src/apiserver/schema/schema.ts";
import { type GoWorld, modelName } from "./go-world.ts";
import type { GoField, GoType } from "./read-go-types.ts";
import type { OpenApiProperty, OpenApiType } from "./read-openapi.ts";

/** A struct whose fields are inlined into another. In protobuf it is a message under `protobufNumber`, if present. */
export interface InlinedType {
  readonly inlined: string;
  readonly protobufNumber: number | undefined;
}

export interface BuiltType {
  readonly name: string;
  readonly mapType: "atomic" | "granular" | undefined;
  readonly members: readonly (FieldSchema | InlinedType)[];
}

/** Every type reachable from `roots`, in the order of the Go packages. */
export function buildTypes(
  world: GoWorld,
  openApi: ReadonlyMap<string, OpenApiType>,
  roots: readonly GoType[],
): readonly BuiltType[] {
  const built = new Map<string, BuiltType>();
  const waiting: { readonly type: GoType; readonly facts: OpenApiType | undefined }[] = roots.map((type) => ({
    type,
    facts: openApi.get(modelName(type)),
  }));
  const visit = (type: GoType, owner: OpenApiType | undefined): void => {
    waiting.push({ type, facts: openApi.get(modelName(type)) ?? owner });
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const name = modelName(next.type);
    if (!built.has(name)) built.set(name, buildType(world, next.type, next.facts, visit));
  }
  for (const { name } of built.values()) assertComplete(name, built, openApi.get(name));
  return [...built.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Throws if OpenAPI has a field that was not found in Go. */
function assertComplete(name: string, built: ReadonlyMap<string, BuiltType>, facts: OpenApiType | undefined): void {
  const found = new Set(fieldNames(name, built));
  const missing = Object.keys(facts?.properties ?? {}).filter((property) => !found.has(property));
  if (missing.length > 0) throw new Error(`${name} lacks ${missing.join(", ")}`);
}

function fieldNames(name: string, built: ReadonlyMap<string, BuiltType>): readonly string[] {
  const members = built.get(name)?.members ?? [];
  return members.flatMap((each) => ("inlined" in each ? fieldNames(each.inlined, built) : [each.name]));
}

type Visit = (type: GoType, owner: OpenApiType | undefined) => void;

function buildType(world: GoWorld, type: GoType, facts: OpenApiType | undefined, visit: Visit): BuiltType {
  if (type.kind !== "struct") throw new Error(`${type.name} is not a struct`);
  const members: (FieldSchema | InlinedType)[] = [];
  for (const field of type.fields) {
    const [jsonName = "", ...options] = (field.tags.get("json") ?? field.name).split(",");
    if (jsonName === "-") continue;
    if (jsonName === "" && field.embedded) {
      const inlined = world.named(field.type, type);
      visit(inlined, facts);
      members.push({ inlined: modelName(inlined), protobufNumber: protobufNumber(world, type, field) });
      continue;
    }
    const { type: ref, pointer } = world.resolve(field.type, type);
    visitParts(world, field.type, type, visit);
    members.push(buildField({ world, owner: type, field, jsonName, options, ref, pointer, facts }));
  }
  return { name: modelName(type), mapType: facts?.["x-kubernetes-map-type"], members };
}

/** Visits the struct behind a field's type, through lists, maps, pointers and named types. */
function visitParts(world: GoWorld, text: string, from: GoType, visit: Visit): void {
  const ref = world.resolve(text, from).type;
  let last: TypeRef = ref;
  while (last.kind === "list" || last.kind === "map") last = last.kind === "list" ? last.item : last.value;
  if (last.kind.startsWith("schemaOr")) visit(world.named("JSONSchemaProps", from), undefined);
  if (last.kind !== "object") return;
  let [rest, place] = [text, from];
  for (;;) {
    rest = rest.replace(/^(?:\*|\[\]|map\[\w+\])+/, "");
    const found = world.named(rest, place);
    if (found.kind === "struct") return visit(found, undefined);
    [rest, place] = [found.type, found];
  }
}

interface FieldParts {
  readonly world: GoWorld;
  readonly owner: GoType;
  readonly field: GoField;
  readonly jsonName: string;
  readonly options: readonly string[];
  readonly ref: TypeRef;
  readonly pointer: boolean;
  readonly facts: OpenApiType | undefined;
}

function buildField({ world, owner, field, jsonName, options, ref, pointer, facts }: FieldParts): FieldSchema {
  const property = facts?.properties[jsonName];
  if (facts !== undefined && property === undefined) throw new Error(`OpenAPI lacks ${modelName(owner)}.${jsonName}`);
  const strategies = splitTag(field.tags.get("patchStrategy"));
  const mergeKey = field.tags.get("patchMergeKey");
  if (property !== undefined) {
    assertSame(owner, jsonName, [property["x-kubernetes-patch-strategy"] ?? "", strategies.join(",")]);
    assertSame(owner, jsonName, [property["x-kubernetes-patch-merge-key"], mergeKey]);
    assertSame(owner, jsonName, [describeOpenApi(property), describeRef(ref)]);
  }
  const isStruct = !pointer && structKinds.has(ref.kind);
  return {
    name: jsonName,
    type: ref,
    required: facts?.required.includes(jsonName) ?? false,
    omitEmpty: options.includes("omitzero") || (options.includes("omitempty") && !isStruct),
    pointer,
    protobufNumber: protobufNumber(world, owner, field),
    default: explicitDefault(property?.default, pointer),
    enum: property?.enum ?? property?.items?.enum ?? property?.additionalProperties?.enum,
    listType: property?.["x-kubernetes-list-type"],
    listMapKeys: property?.["x-kubernetes-list-map-keys"],
    mapType: property?.["x-kubernetes-map-type"],
    patchStrategies: strategies,
    patchMergeKey: mergeKey,
  };
}

/** By value these are Go structs, which `omitempty` never omits. */
const structKinds: ReadonlySet<string> = new Set([
  "object",
  "time",
  "microTime",
  "duration",
  "quantity",
  "intOrString",
  "json",
  "schemaOrBool",
  "schemaOrList",
  "schemaOrStrings",
]);

/** OpenAPI lists Go's zero values as defaults too. They carry information only for pointer fields. */
function explicitDefault(value: Json | undefined, pointer: boolean): Json | undefined {
  const isZero = value === "" || value === 0 || value === false || isDeepStrictEqual(value, {});
  return isZero && !pointer ? undefined : value;
}

function splitTag(tag: string | undefined): ("merge" | "replace" | "retainKeys")[] {
  return (tag ?? "").split(",").flatMap((word) => {
    if (word === "merge" || word === "replace" || word === "retainKeys") return [word];
    if (word !== "") throw new Error(`an unknown patch strategy: ${word}`);
    return [];
  });
}

function protobufNumber(world: GoWorld, owner: GoType, field: GoField): number | undefined {
  const tag = field.tags.get("protobuf");
  if (tag === undefined) return undefined;
  const parts = tag.split(",");
  const name = parts.find((part) => part.startsWith("name="))?.slice(5);
  const declared = world.messages(owner.package.path).get(owner.name);
  if (declared === undefined) throw new Error(`generated.proto has no message ${owner.name}`);
  const byTag = [...declared].find(([, { number }]) => number === Number(parts[1]));
  if (byTag === undefined) throw new Error(`generated.proto has no field ${tag} in ${owner.name}`);
  if (name !== undefined && byTag[0] !== name) throw new Error(`${owner.name}.${name} is ${byTag[0]} on the wire`);
  return byTag[1].number;
}

function assertSame(owner: GoType, field: string, [a, b]: readonly [unknown, unknown]): void {
  if (a !== b) throw new Error(`${modelName(owner)}.${field}: OpenAPI says ${String(a)}, Go says ${String(b)}`);
}

/** The shape of a value in a notation common to both sources. */
function describeOpenApi(value: OpenApiProperty): string {
  const reference = value.$ref ?? value.allOf?.[0]?.$ref;
  if (reference !== undefined) return shortReference(reference);
  if (value.type === "array" && value.items !== undefined) return `[${describeOpenApi(value.items)}`;
  const { additionalProperties } = value;
  if (value.type === "object" && additionalProperties !== undefined) return `{${describeOpenApi(additionalProperties)}`;
  return value.format ?? value.type ?? "nothing";
}

function shortReference(reference: string): string {
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  return special.get(name.slice(name.lastIndexOf(".") + 1)) ?? name;
}

const special: ReadonlyMap<string, string> = new Map([
  ["Time", "time"],
  ["MicroTime", "microTime"],
  ["Duration", "duration"],
  ["Quantity", "quantity"],
  ["IntOrString", "intOrString"],
  ["RawExtension", "json"],
  ["JSON", "json"],
  ["FieldsV1", "json"],
  ["JSONSchemaPropsOrBool", "schemaOrBool"],
  ["JSONSchemaPropsOrArray", "schemaOrList"],
  ["JSONSchemaPropsOrStringArray", "schemaOrStrings"],
]);

function describeRef(ref: TypeRef): string {
  switch (ref.kind) {
    case "object":
      return ref.name;
    case "list":
      return `[${describeRef(ref.item)}`;
    case "map":
      return `{${describeRef(ref.value)}`;
    case "bytes":
      return "byte";
    default:
      return ref.kind;
  }
}
