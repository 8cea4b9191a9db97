// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, objectAt } from "../json/json.ts";

/**
 * Drops `metadata.managedFields`. Without server-side apply this server tracks no field managers and accepts none from
 * clients.
 */
export function stripManagedFields(object: DraftObject): void {
  const metadata = objectAt(object, "metadata");
  if (metadata !== undefined) deleteKey(metadata, "managedFields");
}
