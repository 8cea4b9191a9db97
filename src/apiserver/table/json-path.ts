// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../json/json.ts";
import { Evaluation } from "./json-path-evaluation.ts";
import { type PathStep, PathSyntaxError, parseSteps } from "./json-path-parser.ts";

/** A path that could be read. */
export interface JsonPath {
  readonly steps: readonly PathStep[];
}

/**
 * Reads a path as columns of a CustomResourceDefinition have it: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`. A path that cannot be read
 * gives the sentence that says why; the real server takes such a definition all the same and shows the columns before it.
 */
export function parseJsonPath(text: string): JsonPath | string {
  try {
    return { steps: parseSteps(text) };
  } catch (reason) {
    if (reason instanceof PathSyntaxError) return reason.message;
    throw reason;
  }
}

/** What the path finds, in order. Nothing where the path leaves the object, meets a value that it cannot go through, or finds too much. */
export function evaluateJsonPath(path: JsonPath, object: Json): readonly Json[] {
  const { values, isFailed } = new Evaluation().walkAll([object], path.steps);
  return isFailed ? [] : values;
}
