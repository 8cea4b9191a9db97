// SPDX-License-Identifier: Apache-2.0
import type { DraftObject, JsonObject } from "../../../src/apiserver/json/json.ts";

/**
 * An object of a kind outside core, sent to the real server and judged by ours. `group/version/resource` in `resource`.
 */
export interface CreateCase {
  readonly name: string;
  readonly resource: string;
  readonly object: JsonObject;
}

/** An object that is there, and a change of it. */
export interface UpdateCase extends CreateCase {
  readonly change: (object: DraftObject) => void;
  /** The change goes to the status subresource. */
  readonly isStatus?: boolean;
}

/** A pod template with that label and restart policy. */
export function podTemplate(label: string, more: JsonObject = {}): JsonObject {
  return { metadata: { labels: { app: label } }, spec: { containers: [{ name: "c", image: "i" }], ...more } };
}

/** A selector of Pods with that label. */
export function selecting(label: string): JsonObject {
  return { matchLabels: { app: label } };
}

/** An object with a name and a spec. */
export function withSpec(name: string, spec: JsonObject): JsonObject {
  return { metadata: { name }, spec };
}
