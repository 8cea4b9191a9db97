// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, objectAt } from "../json/json.ts";

/** Drops `metadata.managedFields`: without server-side apply this server keeps no record of who set what, and takes none from clients. */
export function stripManagedFields(object: DraftObject): void {
  const metadata = objectAt(object, "metadata");
  if (metadata !== undefined) deleteKey(metadata, "managedFields");
}
