// SPDX-License-Identifier: Apache-2.0
// Answers of a real kube-apiserver 1.36.3 to dry-run creates, one question or one schema to a line.
import { readFileSync } from "node:fs";
import { copyJson, type DraftObject, deleteKey, type Json, type JsonObject } from "../../json/json.ts";
import type { FieldError } from "../../status/field-error.ts";

/** A wrong definition: what it changes in the valid one, and what the server says to it. */
export interface RecordedDefinition {
  readonly name: string;
  readonly change: { readonly spec?: JsonObject; readonly version?: JsonObject; readonly metadata?: JsonObject };
  readonly errors: readonly string[];
}

/**
 * Objects with this schema for their `spec`. An answer has errors, a refusal of the whole body, or the spec that the
 * server made of it.
 */
export interface RecordedObjects {
  readonly name: string;
  readonly schema: JsonObject;
  readonly answers: readonly {
    readonly spec?: Json;
    readonly result?: Json;
    readonly errors?: readonly string[];
    readonly refusal?: string;
    readonly warnings?: readonly string[];
  }[];
}

export const recordedDefinitions = readLines("recorded-definitions.jsonl") as readonly RecordedDefinition[];
export const recordedObjects = readLines("recorded-objects.jsonl") as readonly RecordedObjects[];

/**
 * A valid definition of widgets in example.com with one version, v1, and these changes; a null takes a part of the
 * version away.
 */
export function widgets(change: RecordedDefinition["change"] = {}): DraftObject {
  const version: DraftObject = copyJson({
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object" } },
    ...change.version,
  });
  for (const [key, value] of Object.entries(version)) if (value === null) deleteKey(version, key);
  return copyJson({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com", ...change.metadata },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [version],
      ...change.spec,
    },
  });
}

/** A error in one line, as the recorded ones are. */
export function formatFieldError({ reason, field, text }: FieldError): string {
  return `${reason} ${field}: ${text}`;
}

function readLines(file: string): readonly unknown[] {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}
