// SPDX-License-Identifier: Apache-2.0
import type { DraftObject, JsonObject } from "../json/json.ts";
import type { ParsedText } from "../json/parse-json.ts";
import type { ResourceFacts } from "../schema/schema.ts";
import type { FieldError } from "../status/field-error.ts";
import type { Printer } from "./printer.ts";
import type { Strategy } from "./strategy.ts";

/** Problems that decoding reports without refusing the object, such as `unknown field "spec.x"`, in document order. */
export type FieldComplaints = readonly string[];

/** The fields of a scale subresource, as paths of keys. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The text form of the selector; for built-in kinds the LabelSelector itself. */
  readonly labelSelector: readonly string[] | undefined;
}

/** A resource at one version, built in or defined by a CustomResourceDefinition. */
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
   * Normalizes a parsed body: drops and reports unknown fields, and converts values to their canonical form. Throws an
   * ApiError for values of a wrong type. `apiVersion` and `kind` are checked before. `parsed` is the body's text, if
   * the body is unchanged since parsing; built-in kinds use it to report repeated keys.
   */
  readonly clean: (
    body: DraftObject,
    parsed: ParsedText | undefined,
  ) => { readonly object: DraftObject; readonly complaints: FieldComplaints };
  /**
   * Converts a stored object to this version: the shape of the version, and defaults that a schema got after the object
   * was stored. Absent if nothing differs; the stored bytes are then served directly.
   */
  readonly fromStorage?: (object: DraftObject) => void;
  /** The reverse of `fromStorage`, before an object is stored. */
  readonly toStorage?: (object: DraftObject) => void;
  /** Schema errors of types and values, before the strategy's rules (custom resources). */
  readonly schemaErrors?: (object: JsonObject) => readonly FieldError[];
}
