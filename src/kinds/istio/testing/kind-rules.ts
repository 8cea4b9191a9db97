// SPDX-License-Identifier: Apache-2.0
// What holds for the rows of every kind, checked on full samples that hold a secret wherever one can be.
import * as fc from "fast-check";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { createHasher } from "../../../model/hasher.ts";
import type { ColumnType, ColumnValue, Row, RowContent } from "../../../model/row.ts";
import { RowSealer } from "../../../model/row-sealer.ts";
import type { ClusterFacts, Kind, KindColumn } from "../../kind.ts";
import { projectRow } from "../../project-row.ts";

/** Stands in samples where a secret may stand; no row may hold it. */
export const secretMarker = "s3cr3t";

/** A kind and an object of it with all fields that its row tells, and some that it must not. */
export interface KindSample {
  readonly kind: Kind;
  readonly object: SampleObject;
}

/** An object as an API server sends it. */
export interface SampleObject {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Metadata of a sample, in the namespace `shop`, with annotations that must stay behind. */
export function sampleMetadata(name: string): SampleObject["metadata"] {
  return {
    name,
    namespace: "shop",
    uid: "u1",
    resourceVersion: "7",
    generation: 1,
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": secretMarker },
  };
}

/** Facts of a cluster whose meshes have these root namespaces. */
export function rootNamespaces(...names: readonly string[]): ClusterFacts {
  return { meshRootNamespaces: new Set(names) };
}

/** The row of an object that is not being deleted. */
export function rowOf(kind: Kind, object: unknown, facts: ClusterFacts = rootNamespaces()): RowContent {
  return projectRow(kind, object, { facts, terminatingForMs: 0 });
}

/** The columns as a plain object, JSON texts parsed. */
export function columnsOf(kind: { readonly columns: readonly KindColumn[] }, row: RowContent): Record<string, unknown> {
  const jsonNames = new Set(kind.columns.filter((each) => each.isJson === true).map((each) => each.name));
  return Object.fromEntries(
    Array.from(row.columns, ([name, value]) => [name, jsonNames.has(name) ? parsed(value) : value]),
  );
}

function parsed(value: ColumnValue): unknown {
  return typeof value === "object" ? value.map((each): unknown => JSON.parse(each)) : value;
}

const hasher = await createHasher();

/** The row with its hash, as the agent makes it. */
export function sealed(kind: Pick<Kind, "resource">, row: RowContent): Row {
  return new RowSealer(parseClusterId("prod-east"), kind.resource, hasher).seal(row);
}

/** What is wrong with the columns of a row: undeclared ones, values of another type, elements that are not the JSON of an object. */
export function faultsOf(kind: { readonly columns: readonly KindColumn[] }, row: RowContent): readonly string[] {
  return Array.from(row.columns).flatMap(([name, value]) => {
    if (name === "cut") return [];
    const spec = kind.columns.find((each) => each.name === name);
    if (spec === undefined) return [`${name} is not declared`];
    if (!isOfType(value, spec.type)) return [`${name} is not of type ${spec.type}`];
    if (Array.isArray(value) && value.length === 0) return [`${name} is an empty list`];
    return spec.isJson === true && Array.isArray(value) && !value.every(isJsonObject) ? [`${name} is not JSON`] : [];
  });
}

function isOfType(value: ColumnValue, type: ColumnType): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "integer":
      return Number.isSafeInteger(value);
    case "float":
      return Number.isFinite(value);
    case "stringList":
      return Array.isArray(value) && value.every((each) => typeof each === "string");
    default:
      return false;
  }
}

function isJsonObject(text: string): boolean {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** All texts of a row, as one. */
export function rowText(row: RowContent): string {
  return JSON.stringify(row, (_key, value: unknown) => (value instanceof Map ? [...value] : value));
}

/** The value with the keys of all its objects the other way round: the same object to Kubernetes. */
export function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversedKeys(part)]),
  );
}

/** The object with up to four of its fields, at any depth of spec and status, replaced by any JSON, or spec and status as a whole. */
export function damagedObjects({ metadata, spec, status }: SampleObject): fc.Arbitrary<unknown> {
  const paths = pathsOf({ spec, status });
  const damage = fc.record({ path: fc.constantFrom(...paths), value: anyJson });
  const wounded = fc.array(damage, { minLength: 1, maxLength: 4 }).map((damages) => {
    let body: object = { spec, status };
    for (const { path, value } of damages) body = replaced(body, path, value);
    // Through JSON, as every object comes: what it cannot hold, such as a list with a hole, is gone.
    const sent: unknown = JSON.parse(JSON.stringify({ metadata, ...body }));
    return sent;
  });
  return fc.oneof(wounded, fc.record({ metadata: fc.constant(metadata), spec: anyJson, status: anyJson }));
}

const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(undefined, null, [], {}, [null], [[]], [{}], -1, 1.5, 1e300, "", "\ud800", "://", "@"),
);

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const parts: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((part: unknown, index) => [index, part])
    : Object.entries(value);
  const below = parts.flatMap(([key, part]) => pathsOf(part, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): object {
  const copy: object = Array.isArray(value)
    ? value.map((each: unknown) => each)
    : typeof value === "object"
      ? { ...value }
      : {};
  if (key === undefined) return copy;
  const part: unknown = Reflect.get(copy, key);
  Object.defineProperty(copy, key, {
    value: rest.length === 0 ? by : replaced(part, rest, by),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
}
