// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, isEqualJson, type JsonObject, valueAt } from "../../apiserver/json/json.ts";
import { nameOf, namespaceOf, uidOf } from "./object-parts.ts";
import type { PlaygroundClient } from "./playground-client.ts";

/**
 * Writes the status of an object, if `change` alters it as it stands in memory: most reconciles change nothing, and should cost no way through the server's rules.
 * What was decided on another spec is not written: the change of the spec brings the next reconcile, and until then `observedGeneration` must not say that it
 * was seen. Gives the object as it is then; undefined if it is gone.
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

/** The same incarnation of an object, with the spec that it had. */
export function hasSameSpec(newest: JsonObject, object: JsonObject): boolean {
  return uidOf(newest) === uidOf(object) && generationOf(newest) === generationOf(object);
}

function generationOf(object: JsonObject): unknown {
  return valueAt(object, "metadata", "generation");
}
