// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, isEqualJson, type JsonObject } from "../../apiserver/json/json.ts";
import { valueAt } from "../../apiserver/json/json-fields.ts";
import { nameOf, namespaceOf, uidOf } from "./object-parts.ts";
import type { PlaygroundClient } from "./playground-client.ts";

/**
 * Writes the status of an object if `change` alters it. An unchanged status is detected in memory and costs no request.
 * The write is skipped if the spec changed meanwhile: that change triggers the next reconcile, and `observedGeneration`
 * must not claim a spec that was not seen. Resolves with the resulting object; undefined if it is gone.
 */
export async function updateStatus(
  client: PlaygroundClient,
  resource: string,
  object: JsonObject,
  change: (draft: DraftObject) => void,
): Promise<JsonObject | undefined> {
  const draft = copyJson(object);
  change(draft);
  if (isEqualJson(draft["status"], object["status"])) return object;
  const ref = { resource, namespace: namespaceOf(object), name: nameOf(object) };
  const changeSame = (newest: DraftObject): void => {
    if (hasSameSpec(newest, object)) change(newest);
  };
  return await client.update(ref, changeSame, "status");
}

/** Whether both have the same uid and generation. */
export function hasSameSpec(newest: JsonObject, object: JsonObject): boolean {
  return uidOf(newest) === uidOf(object) && generationOf(newest) === generationOf(object);
}

function generationOf(object: JsonObject): unknown {
  return valueAt(object, "metadata", "generation");
}
