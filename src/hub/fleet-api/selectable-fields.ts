// SPDX-License-Identifier: Apache-2.0
import { type ApiError, badRequest } from "../../apiserver/status/api-error.ts";
import type { QuerySyntax } from "../../index/language/query-syntax.ts";
import type { FieldRequirement } from "../../model/selectors/field-selector.ts";
import { isNamed, isNotEmpty, isOneOf, isPositive, not, nothing } from "./row-conditions.ts";

/** Where a row has the value of a field that Kubernetes selects by. */
type FieldSource =
  /** A field of every row; "" where it has none. */
  | { readonly kind: "field"; readonly field: string }
  /** A text column. Absent counts as "". */
  | { readonly kind: "text"; readonly column: string }
  /** A boolean column. Absent counts as `false`. */
  | { readonly kind: "flag"; readonly column: string }
  /** A column of whole numbers. Absent counts as `0`. */
  | { readonly kind: "count"; readonly column: string };

/** A selectable field by its name. */
type FieldSources = Readonly<Record<string, FieldSource>>;

const phase: FieldSource = { kind: "text", column: "phase" };
const type: FieldSource = { kind: "text", column: "type" };

/** Fields of every kind. `cluster` is the fleet's own. */
const keyFields: FieldSources = {
  "metadata.name": { kind: "field", field: "name" },
  "metadata.namespace": { kind: "field", field: "namespace" },
  cluster: { kind: "field", field: "cluster" },
};

/** Of the fields that Kubernetes selects by, those that rows have, by resource. */
const fieldsByResource: Readonly<Record<string, FieldSources>> = {
  pods: {
    "spec.nodeName": { kind: "text", column: "node" },
    "status.phase": phase,
    "status.nominatedNodeName": { kind: "text", column: "nominatedNode" },
  },
  events: {
    type,
    reason: { kind: "field", field: "reason" },
    "involvedObject.kind": { kind: "text", column: "objectKind" },
    "involvedObject.namespace": { kind: "text", column: "objectNamespace" },
    "involvedObject.name": { kind: "text", column: "objectName" },
    "involvedObject.uid": { kind: "text", column: "objectUid" },
  },
  namespaces: { "status.phase": phase },
  nodes: { "spec.unschedulable": { kind: "flag", column: "unschedulable" } },
  secrets: { type },
  services: { "spec.type": type },
  "batch/jobs": { "status.successful": { kind: "count", column: "succeeded" } },
};

/** True for fields that are part of an object's key: no change of an object changes them. */
export function isKeyField(field: string): boolean {
  return Object.hasOwn(keyFields, field);
}

/** The condition on rows of a resource that a requirement means (FA8). Throws 400 for a field that rows do not have. */
export function fieldCondition(resource: string, { field, operator, value }: FieldRequirement): QuerySyntax {
  const own = fieldsByResource[resource] ?? {};
  const source = own[field] ?? keyFields[field];
  if (source === undefined || !(Object.hasOwn(own, field) || isKeyField(field))) throw unknownField(resource, field);
  const equals = field === "metadata.name" ? isNamed(value) : equalsValue(source, value);
  return operator === "equals" ? equals : not(equals);
}

function equalsValue(source: FieldSource, value: string): QuerySyntax {
  switch (source.kind) {
    case "field":
      return isOneOf(source.field, [value]);
    case "text": {
      const column = `field.${source.column}`;
      return value === "" ? not(isNotEmpty(column)) : isOneOf(column, [value]);
    }
    case "flag": {
      const isSet = isOneOf(`field.${source.column}`, ["true"]);
      return value === "true" ? isSet : value === "false" ? not(isSet) : nothing;
    }
    case "count": {
      if (!/^(?:0|[1-9]\d{0,14})$/.test(value)) return nothing;
      const column = `field.${source.column}`;
      return value === "0" ? not(isPositive(column)) : isOneOf(column, [value]);
    }
  }
}

function unknownField(resource: string, field: string): ApiError {
  const known = [...Object.keys(keyFields), ...Object.keys(fieldsByResource[resource] ?? {})];
  return badRequest(
    `field label not supported: ${field.slice(0, 253)}; of ${resource} the fleet knows ${known.join(", ")}`,
  );
}
