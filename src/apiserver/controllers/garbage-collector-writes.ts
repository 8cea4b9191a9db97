// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, ensureObject, isObject, type Json } from "../json/json.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import type { ClusterClient, ObjectRef } from "./cluster-client.ts";

/** An object by key and uid. Another object with the same key is not changed. */
export interface Incarnation {
  readonly ref: ObjectRef;
  readonly uid: string;
}

/** Removes the references to those owners from the object. Does nothing if it is deleted. */
export async function releaseFrom(
  client: ClusterClient,
  incarnation: Incarnation,
  owners: ReadonlySet<string>,
): Promise<void> {
  const isKept = (each: Json): boolean => !isObject(each) || !owners.has(textAt(each, "uid") ?? "");
  await client.update(incarnation.ref, (draft) => keepInMetadata(draft, incarnation.uid, "ownerReferences", isKept));
}

/** Removes a finalizer, which may delete the object. Does nothing if it is already deleted. */
export async function removeFinalizer(
  client: ClusterClient,
  incarnation: Incarnation,
  finalizer: string,
): Promise<void> {
  const isKept = (each: Json): boolean => each !== finalizer;
  await client.update(incarnation.ref, (draft) => keepInMetadata(draft, incarnation.uid, "finalizers", isKept));
}

function keepInMetadata(draft: DraftObject, uid: string, list: string, isKept: (each: Json) => boolean): void {
  const metadata = ensureObject(draft, "metadata");
  if (textAt(metadata, "uid") !== uid) return;
  const kept = (listAt(metadata, list) ?? []).filter(isKept);
  if (kept.length === 0) deleteKey(metadata, list);
  else metadata[list] = kept;
}
