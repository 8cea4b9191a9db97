// SPDX-License-Identifier: Apache-2.0
import {
  type DraftObject,
  deleteKey,
  ensureObject,
  isObject,
  type Json,
  type JsonObject,
} from "../../apiserver/json/json.ts";
import { objectsAt, textAt, textOf } from "../../apiserver/json/json-fields.ts";
import { createLabelMatcher } from "../../apiserver/metadata/label-selector-object.ts";
import { isTerminating, labelsOf, nameOf, namespaceOf, uidOf } from "./object-parts.ts";
import { controllerOf, controllerReference, type OwnerKind } from "./owner.ts";
import type { PlaygroundClient } from "./playground-client.ts";

/**
 * The objects that belong to an owner by its selector: those it controls, and orphans, which it adopts. An object that
 * it controls and no longer selects is released. An owner that is being deleted adopts and releases nothing.
 */
export async function claimObjects(
  client: PlaygroundClient,
  resource: string,
  owner: { readonly kind: OwnerKind; readonly object: JsonObject; readonly selector: Json | undefined },
): Promise<readonly JsonObject[]> {
  const matches = createLabelMatcher(owner.selector);
  const uid = uidOf(owner.object);
  const isOwnerTerminating = isTerminating(owner.object);
  const claimed: JsonObject[] = [];
  for (const object of client.objects.list(resource, namespaceOf(owner.object))) {
    const reference = controllerOf(object);
    const isSelected = matches(labelsOf(object));
    const ref = { resource, namespace: namespaceOf(object), name: nameOf(object) };
    if (reference === undefined) {
      if (!isSelected || isOwnerTerminating || isTerminating(object)) continue;
      const adopted = await client.update(ref, (draft) => {
        const metadata = ensureObject(draft, "metadata");
        metadata["ownerReferences"] = [...referencesOf(draft), controllerReference(owner.kind, owner.object)];
      });
      if (adopted !== undefined) claimed.push(adopted);
    } else if (textOf(reference, "uid") === uid) {
      if (isSelected) claimed.push(object);
      else if (!isOwnerTerminating) await client.update(ref, (draft) => releaseFrom(draft, uid));
    }
  }
  return claimed;
}

function releaseFrom(draft: DraftObject, uid: string): void {
  const metadata = ensureObject(draft, "metadata");
  const kept = referencesOf(draft).filter((each) => !isObject(each) || textAt(each, "uid") !== uid);
  if (kept.length === 0) deleteKey(metadata, "ownerReferences");
  else metadata["ownerReferences"] = kept;
}

function referencesOf(draft: DraftObject): DraftObject[] {
  return objectsAt(draft, "metadata", "ownerReferences");
}
