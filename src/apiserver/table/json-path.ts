// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../json/json.ts";
import { Evaluation } from "./json-path-evaluation.ts";
import { type PathStep, PathSyntaxError, parseSteps } from "./json-path-parser.ts";

/** A parsed path. */
export interface JsonPath {
  readonly steps: readonly PathStep[];
}

/**
 * Parses a path of a CustomResourceDefinition's column: `.spec.replicas`,
 * `.status.conditions[?(@.type=="Ready")].status`. Returns an error message for an invalid path; kube-apiserver accepts
 * such a definition and shows the columns before it.
 */
export function parseJsonPath(text: string): JsonPath | string {
  try {
    return { steps: parseSteps(text) };
  } catch (reason) {
    if (reason instanceof PathSyntaxError) return reason.message;
    throw reason;
  }
}

/** The values that the path selects, in order. Empty if the path does not match, fails, or exceeds the limit. */
export function evaluateJsonPath(path: JsonPath, object: Json): readonly Json[] {
  const { values, isFailed } = new Evaluation().walkAll([object], path.steps);
  return isFailed ? [] : values;
}
