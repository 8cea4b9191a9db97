// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, ensureObject, isObject, type Json, listAt, textAt } from "../json/json.ts";
import type { ClusterClient, ObjectRef } from "./cluster-client.ts";

/** One incarnation of an object: another at the same place is left alone. */
export interface Incarnation {
  readonly ref: ObjectRef;
  readonly uid: string;
}

/** Takes the references to those owners out of the object. Does nothing if it is gone. */
export async function releaseFrom(
  client: ClusterClient,
  incarnation: Incarnation,
  owners: ReadonlySet<string>,
): Promise<void> {
  const isKept = (each: Json): boolean => !isObject(each) || !owners.has(textAt(each, "uid") ?? "");
  await client.update(incarnation.ref, (draft) => keepInMetadata(draft, incarnation.uid, "ownerReferences", isKept));
}

/** Takes a finalizer away; the object goes if it was the last. Does nothing if it is gone. */
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
