// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, isEqualJson, listAt, textAt } from "../json/json.ts";

/** Drops duplicate owner references. Returns kube-apiserver's warning; undefined without duplicates. */
export function dedupOwners(object: DraftObject): string | undefined {
  const owners = listAt(object, "metadata", "ownerReferences");
  if (owners === undefined || owners.length < 2) return undefined;
  const kept: typeof owners = [];
  const uids: string[] = [];
  for (const owner of owners) {
    if (kept.some((each) => isEqualJson(each, owner))) uids.push(textAt(owner, "uid") ?? "");
    else kept.push(owner);
  }
  if (uids.length === 0) return undefined;
  ensureObject(object, "metadata")["ownerReferences"] = kept;
  const advice = "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24";
  return `.metadata.ownerReferences contains duplicate entries; ${advice}; please fix your requests; duplicate UID(s) observed: ${uids.join(", ")}`;
}
