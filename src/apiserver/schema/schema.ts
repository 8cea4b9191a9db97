// SPDX-License-Identifier: Apache-2.0
// The types of built-in kinds from the generated table (src/gen/kubernetes), for decoding, patching, protobuf and
// OpenAPI.
import type { Draft, Json } from "../json/json.ts";

/** The type of a value. Object types have their names in Kubernetes' OpenAPI: `io.k8s.api.core.v1.PodSpec`. */
export type TypeRef =
  | { readonly kind: "object"; readonly name: string }
  | { readonly kind: "list"; readonly item: TypeRef }
  | { readonly kind: "map"; readonly value: TypeRef }
  | { readonly kind: ScalarType };

/**
 * Types without fields, items or values.
 * - `json`: any value, unchanged (RawExtension, JSON, FieldsV1).
 * - `bytes`: base64 text.
 * - `schemaOrBool`, `schemaOrList`, `schemaOrStrings`: unions of JSONSchemaProps with a boolean, a list of schemas, a
 *   list of strings.
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
  /** Whether the API requires the field. */
  readonly required: boolean;
  /** Whether Go omits an empty value from JSON: zero, false, "", an empty list or map, a nil pointer. */
  readonly omitEmpty: boolean;
  /** Whether the Go field is a pointer: an explicit 0, false or "" differs from absence. */
  readonly pointer: boolean;
  readonly protobufNumber: number | undefined;
  readonly default: Json | undefined;
  readonly enum: readonly string[] | undefined;
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listMapKeys: readonly string[] | undefined;
  readonly mapType: "atomic" | "granular" | undefined;
  /** The strategies of a strategic merge patch. */
  readonly patchStrategies: readonly ("merge" | "replace" | "retainKeys")[];
  readonly patchMergeKey: string | undefined;
}

export interface ObjectSchema {
  readonly name: string;
  /** Name of the Go struct: `PodSpec`. */
  readonly goName: string;
  readonly mapType: "atomic" | "granular" | undefined;
  /** Fields by JSON name, in the order of the Go struct, with the fields of embedded structs in place. */
  readonly fields: ReadonlyMap<string, FieldSchema>;
}

/** A subresource in discovery. `kind` may differ from the resource's: Scale, Eviction, TokenRequest. */
export interface SubresourceFacts {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** A built-in resource in discovery. */
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

/** The built-in kinds of one Kubernetes version. */
export interface SchemaTable {
  /** `1.36.3` */
  readonly kubernetesVersion: string;
  /** In the order of kube-apiserver's discovery. */
  readonly resources: readonly ResourceFacts[];
  /** The type with that name. Throws for a name that no field or kind of the table refers to. */
  object(name: string): ObjectSchema;
  /** The type of a kind; undefined for a kind that is not built in. */
  ofKind(group: string, version: string, kind: string): ObjectSchema | undefined;
}

/** A field with its position in protobuf. Every field of a schema is one. */
export interface WireField extends FieldSchema {
  /**
   * Set if Go embeds the struct of this field: the number of the struct's message, in which `protobufNumber` counts.
   */
  readonly protobufWithin?: number;
}

/** Go's JSON of an unset scalar that is not a pointer; null for other types. */
export function zeroOf({ kind }: TypeRef): Draft {
  switch (kind) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "int32":
    case "int64":
    case "double":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    default:
      return null;
  }
}
