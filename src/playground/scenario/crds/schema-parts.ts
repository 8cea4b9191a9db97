// SPDX-License-Identifier: Apache-2.0
// Shorthands for structural schemas.
import type { DraftObject } from "../../../apiserver/json/json.ts";

/** Any text. */
export const text: DraftObject = { type: "string" };
/** A time (RFC 3339). */
export const time: DraftObject = { type: "string", format: "date-time" };
/** A whole number. */
export const integer: DraftObject = { type: "integer", format: "int64" };
/** A boolean. */
export const flag: DraftObject = { type: "boolean" };
/** An object of any content. */
export const open: DraftObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
/** A list of texts. */
export const texts: DraftObject = { type: "array", items: text };

/** An object with these fields, some of them required. */
export function record(properties: DraftObject, required: readonly string[] = []): DraftObject {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required: [...required] }) };
}

/** A list of these values. */
export function listOf(items: DraftObject): DraftObject {
  return { type: "array", items };
}

/** A map with these values. */
export function mapOf(values: DraftObject): DraftObject {
  return { type: "object", additionalProperties: values };
}

/** One of these texts. */
export function oneOf(...values: readonly string[]): DraftObject {
  return { type: "string", enum: [...values] };
}

/** Conditions as most controllers write them. */
export const conditions: DraftObject = listOf(
  record(
    {
      type: text,
      status: oneOf("True", "False", "Unknown"),
      reason: text,
      message: text,
      lastTransitionTime: time,
      observedGeneration: integer,
    },
    ["type", "status"],
  ),
);

/** What differs between definitions. */
export interface CrdParts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly spec: DraftObject;
  readonly status: DraftObject;
  /** Name and JSON path of each printer column, and optionally its type, by default string. */
  readonly columns?: readonly (readonly [string, string, string?])[];
}

/** A namespaced CustomResourceDefinition of one version with a status subresource. */
export function makeCrd({ group, version, kind, plural, ...parts }: CrdParts): DraftObject {
  const singular = kind.toLowerCase();
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(parts.shortNames === undefined ? {} : { shortNames: [...parts.shortNames] }),
        ...(parts.categories === undefined ? {} : { categories: [...parts.categories] }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: record({
              apiVersion: text,
              kind: text,
              metadata: { type: "object" },
              spec: parts.spec,
              status: parts.status,
            }),
          },
          ...(parts.columns === undefined
            ? {}
            : {
                additionalPrinterColumns: parts.columns.map(([name, jsonPath, type = "string"]) => ({
                  name,
                  jsonPath,
                  type,
                })),
              }),
        },
      ],
    },
  };
}
