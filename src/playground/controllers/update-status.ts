// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, isEqualJson, type JsonObject } from "../../apiserver/json/json.ts";
import { nameOf, namespaceOf } from "./object-parts.ts";
import type { PlaygroundClient } from "./playground-client.ts";

/**
 * Writes the status of an object, if `change` alters it as it stands in memory: most reconciles change nothing, and should cost no way through the server's rules.
 * Gives the object as it is then; undefined if it is gone.
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
  return await client.update({ resource, namespace: namespaceOf(object), name: nameOf(object) }, change, "status");
}
