// SPDX-License-Identifier: Apache-2.0
// The history of StatefulSets and DaemonSets: one ControllerRevision for each template they had. `kubectl rollout
// history` and `undo` read it.

import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { copyJson, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, objectAt } from "../../apiserver/json/json-fields.ts";
import { canonicalJson } from "../../apiserver/json/stringify-json.ts";
import { annotationOf, countAt, labelsOf, nameOf, namespaceOf, uidOf } from "./object-parts.ts";
import { controllerReference, type OwnerKind, ownedBy } from "./owner.ts";
import type { PlaygroundClient } from "./playground-client.ts";
import { hashLetters } from "./stable-hash.ts";

/** The label that names the template of Pods and revisions. */
export const revisionHashLabel = "controller-revision-hash";
const resource = "apps/controllerrevisions";

/** Revisions of an owner, the newest last. */
export interface RevisionHistory {
  /** Name of the revision of the current template. */
  readonly currentName: string;
  /** The value of `revisionHashLabel` on Pods of that revision. */
  readonly hash: string;
  readonly all: readonly JsonObject[];
}

/**
 * Makes the current template's revision the newest, and deletes unused revisions above the owner's
 * `revisionHistoryLimit`.
 */
export async function ensureRevision(
  client: PlaygroundClient,
  kind: OwnerKind,
  owner: JsonObject,
  usedHashes: ReadonlySet<string>,
): Promise<RevisionHistory> {
  const template = objectAt(owner, "spec", "template") ?? {};
  const hash = hashLetters(canonicalJson(template));
  const name = `${nameOf(owner)}-${hash}`;
  const sorted = (): readonly JsonObject[] =>
    [...ownedBy(client.objects, resource, owner)].sort((a, b) => countOf(a, "revision") - countOf(b, "revision"));
  const before = sorted();
  const highest = countOf(before.at(-1) ?? {}, "revision");
  const found = before.find((each) => nameOf(each) === name);
  if (found === undefined) await create();
  else if (found !== before.at(-1))
    await client.update({ resource, namespace: namespaceOf(owner), name }, (draft) => {
      draft["revision"] = highest + 1;
    });
  const limit = countAt(owner, "spec", "revisionHistoryLimit") ?? 10;
  const old = sorted().filter((each) => nameOf(each) !== name && !usedHashes.has(hashOf(each)));
  for (const each of old.slice(0, Math.max(0, old.length - limit)))
    await client.delete({ resource, namespace: namespaceOf(each), name: nameOf(each) }, { uid: uidOf(each) });
  return { currentName: name, hash, all: sorted() };

  async function create(): Promise<void> {
    const cause = annotationOf(owner, "kubernetes.io/change-cause");
    try {
      await client.create(resource, {
        metadata: {
          name,
          namespace: namespaceOf(owner),
          labels: { ...copyJson(labelsOf(template)), [revisionHashLabel]: hash },
          ...(cause === undefined ? {} : { annotations: { "kubernetes.io/change-cause": cause } }),
          ownerReferences: [controllerReference(kind, owner)],
        },
        data: { spec: { template: { ...copyJson(template), $patch: "replace" } } },
        revision: highest + 1,
      });
    } catch (reason) {
      if (!isRefusal(reason, "AlreadyExists")) throw reason;
    }
  }
}

/** The revision hash that an object is labelled with. */
export function hashOf(object: JsonObject): string {
  const label = labelsOf(object)[revisionHashLabel];
  return typeof label === "string" ? label : "";
}

/** The template of a revision; undefined if the history no longer holds it. */
export function templateOfRevision(history: RevisionHistory, name: string): JsonObject | undefined {
  const found = history.all.find((each) => nameOf(each) === name);
  const template = found === undefined ? undefined : objectAt(found, "data", "spec", "template");
  if (template === undefined) return undefined;
  const { $patch: _patch, ...rest } = template;
  return rest;
}
