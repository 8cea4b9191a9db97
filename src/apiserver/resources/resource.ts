// SPDX-License-Identifier: Apache-2.0
import type { DraftObject, JsonObject } from "../json/json.ts";
import type { ParsedText } from "../json/parse-json.ts";
import type { ResourceFacts } from "../schema/schema.ts";
import type { FieldError } from "../status/field-error.ts";
import type { Printer } from "./printer.ts";
import type { Strategy } from "./strategy.ts";

/** What decoding found wrong without refusing the object: texts such as `unknown field "spec.x"`, in document order. */
export type FieldComplaints = readonly string[];

/** Where the numbers of a scale subresource are, as paths of keys. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The text form of the selector, or for built-ins the label selector itself. */
  readonly labelSelector: readonly string[] | undefined;
}

/** A resource that this server serves at one version, built in or made by a CustomResourceDefinition. */
export interface Resource {
  readonly facts: ResourceFacts;
  readonly listKind: string;
  /** Text of its resource id (CO2), under which objects of all versions are stored: `pods`, `apps/deployments`. */
  readonly storageId: string;
  readonly isCustom: boolean;
  readonly strategy: Strategy;
  readonly printer: Printer;
  readonly scale: ScalePaths | undefined;
  /**
   * Makes a parsed body the object that the server would hold: unknown fields are dropped and complained of, values brought to their canonical form. Throws an
   * ApiError for values of a wrong type. `apiVersion` and `kind` have been checked before. `parsed` is the text that the body
   * comes from, if nobody changed it since; built-in kinds complain of repeated keys by it.
   */
  readonly clean: (
    body: DraftObject,
    parsed: ParsedText | undefined,
  ) => { readonly object: DraftObject; readonly complaints: FieldComplaints };
  /**
   * Makes an object, as stored, one of this version: other versions' shapes, defaults that a schema got after the object was written. Absent where nothing
   * differs; then the stored bytes are served as they are.
   */
  readonly fromStorage?: (object: DraftObject) => void;
  /** The way back, before an object is stored. */
  readonly toStorage?: (object: DraftObject) => void;
  /** Wrong types and values that a schema finds, before the strategy looks (custom resources). */
  readonly schemaErrors?: (object: JsonObject) => readonly FieldError[];
}
