// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, deleteKey, getKey, type JsonObject, setKey } from "../json/json.ts";

/** For `prepareForStatusUpdate`: takes only the status from the client, not even labels. */
export function takeOnlyStatus(object: DraftObject, old: JsonObject): void {
  const status = getKey(object, "status");
  for (const key of Object.keys(object)) deleteKey(object, key);
  for (const key of Object.keys(old)) if (key !== "status") setKey(object, key, copyJson(old[key] ?? null));
  if (status !== undefined) setKey(object, "status", status);
}
