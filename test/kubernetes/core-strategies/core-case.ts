// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";

/** An object that is created here and on the real server. */
export interface CoreCase {
  /** What is particular about it; unique. */
  readonly name: string;
  readonly resource: string;
  readonly body: JsonObject;
}

/** An object that is made on the real server and then replaced by another, here and there. */
export interface CoreUpdate extends CoreCase {
  /** What replaces parts of what the server stored, as a merge patch. */
  readonly patch: JsonObject;
}

/** A Pod with one good container, changed in parts of its spec. */
export function podCase(name: string, spec: JsonObject, metadata: JsonObject = {}): CoreCase {
  const body = {
    metadata: { name: "sample", ...metadata },
    spec: { containers: [{ name: "app", image: "nginx:1.27" }], ...spec },
  };
  return { name: `pod: ${name}`, resource: "pods", body };
}

/** A Pod whose one container is changed. */
export function containerCase(name: string, container: JsonObject, spec: JsonObject = {}): CoreCase {
  return podCase(name, { containers: [{ name: "app", image: "nginx:1.27", ...container }], ...spec });
}

/** Any object of the core group with a name. */
export function objectCase(resource: string, name: string, rest: JsonObject, metadata: JsonObject = {}): CoreCase {
  return { name: `${resource}: ${name}`, resource, body: { metadata: { name: "sample", ...metadata }, ...rest } };
}
