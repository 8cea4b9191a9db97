// SPDX-License-Identifier: Apache-2.0
// The types of built-in kinds: what the generated table (src/gen/kubernetes) says, in the form that decoding, patching, protobuf and OpenAPI use.
import type { Json } from "../json/json.ts";

/** What a value is. Names of object types are those of Kubernetes' OpenAPI: `io.k8s.api.core.v1.PodSpec`. */
export type TypeRef =
  | { readonly kind: "object"; readonly name: string }
  | { readonly kind: "list"; readonly item: TypeRef }
  | { readonly kind: "map"; readonly value: TypeRef }
  | { readonly kind: ScalarType };

/**
 * `json`: any value, kept as it is (RawExtension, JSON, FieldsV1). `bytes`: base64 text. `schemaOrBool`, `schemaOrList`, `schemaOrStrings`: the unions
 * of JSONSchemaProps with a boolean, a list of schemas, a list of texts.
 */
export type ScalarType =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  | "bytes"
  | "time"
  | "microTime"
  | "duration"
  | "quantity"
  | "intOrString"
  | "json"
  | "schemaOrBool"
  | "schemaOrList"
  | "schemaOrStrings";

export interface FieldSchema {
  readonly name: string;
  readonly type: TypeRef;
  /** The API says that it must be there. */
  readonly required: boolean;
  /** Go leaves it out of JSON when it is empty: zero, false, "", no item, no pointer. Else it prints the empty value. */
  readonly omitEmpty: boolean;
  /** Go holds it by pointer: an explicit 0, false or "" differs from absence. */
  readonly pointer: boolean;
  readonly protobufNumber: number | undefined;
  readonly default: Json | undefined;
  readonly enum: readonly string[] | undefined;
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listMapKeys: readonly string[] | undefined;
  readonly mapType: "atomic" | "granular" | undefined;
  /** How a strategic merge patch treats it. */
  readonly patchStrategies: readonly ("merge" | "replace" | "retainKeys")[];
  readonly patchMergeKey: string | undefined;
}

export interface ObjectSchema {
  readonly name: string;
  /** Name of the struct in Go: `PodSpec`. */
  readonly goName: string;
  readonly mapType: "atomic" | "granular" | undefined;
  /** Fields in the order of the Go struct, embedded structs' fields in place; by JSON name. */
  readonly fields: ReadonlyMap<string, FieldSchema>;
}

/** A subresource as discovery tells it. `kind` may be another than the resource's: Scale, Eviction, TokenRequest. */
export interface SubresourceFacts {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** A built-in resource as discovery tells it. */
export interface ResourceFacts {
  readonly group: string;
  readonly version: string;
  /** Plural name, as in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly SubresourceFacts[];
  readonly storageVersionHash: string | undefined;
}

/** Everything known about the built-in kinds of one Kubernetes version. */
export interface SchemaTable {
  /** `1.36.3` */
  readonly kubernetesVersion: string;
  /** In the order of the real server's discovery. */
  readonly resources: readonly ResourceFacts[];
  /** The type of that name; throws for a name that no field or kind of the table refers to. */
  object(name: string): ObjectSchema;
  /** The type of a kind; undefined for a kind that is not built in. */
  ofKind(group: string, version: string, kind: string): ObjectSchema | undefined;
}
