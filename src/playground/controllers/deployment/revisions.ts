// SPDX-License-Identifier: Apache-2.0
// A Deployment's ReplicaSets as its history: which one has the current template, and the revision of each.

import {
  copyJson,
  type DraftObject,
  deleteKey,
  ensureObject,
  isEqualJson,
  type JsonObject,
} from "../../../apiserver/json/json.ts";
import { countOf, objectAt, textOf } from "../../../apiserver/json/json-fields.ts";
import { canonicalJson } from "../../../apiserver/json/stringify-json.ts";
import { annotationOf, labelsOf, nameOf, namespaceOf, timeAt } from "../object-parts.ts";
import { controllerReference, ownerKinds } from "../owner.ts";
import { hashLetters } from "../stable-hash.ts";
import { limitsOf } from "./rollout-plan.ts";

/** The label that separates the Pods of two templates of one Deployment. */
const hashLabel = "pod-template-hash";
/**
 * The revision of a ReplicaSet in its Deployment's history; on the Deployment, the revision of the current ReplicaSet.
 */
export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const ownAnnotations = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
]);

/** Characters of earlier revisions that a ReplicaSet keeps: Kubernetes' limit. */
const maxHistoryLength = 2000;

/** The revision; 0 if the object has none yet. */
export function revisionOf(object: JsonObject): number {
  return Number(annotationOf(object, revisionAnnotation) ?? 0) || 0;
}

/** The ReplicaSet with the Deployment's template; the oldest if there are several. */
export function findCurrentSet(deployment: JsonObject, sets: readonly JsonObject[]): JsonObject | undefined {
  const template = objectAt(deployment, "spec", "template") ?? {};
  return [...sets]
    .sort((a, b) => createdAtMs(a) - createdAtMs(b) || (nameOf(a) < nameOf(b) ? -1 : 1))
    .find((set) => isEqualJson(withoutHash(objectAt(set, "spec", "template") ?? {}), template));
}

/** A ReplicaSet for the Deployment's template, with 0 replicas. */
export function makeReplicaSet(deployment: JsonObject, revision: number): DraftObject {
  const template = copyJson(objectAt(deployment, "spec", "template") ?? {});
  const collisionCount = countOf(deployment, "status", "collisionCount");
  const hash = hashLetters(`${canonicalJson(template)}${collisionCount === 0 ? "" : collisionCount}`);
  const metadata = ensureObject(template, "metadata");
  ensureObject(metadata, "labels")[hashLabel] = hash;
  const selector = copyJson(objectAt(deployment, "spec", "selector") ?? {});
  ensureObject(selector, "matchLabels")[hashLabel] = hash;
  const minReadySeconds = countOf(deployment, "spec", "minReadySeconds");
  return {
    metadata: {
      name: `${nameOf(deployment)}-${hash}`,
      namespace: namespaceOf(deployment),
      labels: copyJson(labelsOf(template)),
      annotations: copyJson(wantedAnnotations(deployment, revision)),
      ownerReferences: [controllerReference(ownerKinds.deployment, deployment)],
    },
    spec: { replicas: 0, ...(minReadySeconds === 0 ? {} : { minReadySeconds }), selector, template },
  };
}

/**
 * Copies the Deployment's annotations to the current ReplicaSet. A ReplicaSet that becomes current again keeps its
 * earlier revisions in its history annotation.
 */
export function markCurrent(draft: DraftObject, deployment: JsonObject, revision: number): void {
  const annotations = ensureObject(ensureObject(draft, "metadata"), "annotations");
  const before = textOf(annotations, revisionAnnotation);
  Object.assign(annotations, wantedAnnotations(deployment, revision));
  if (before === "" || before === String(revision)) return;
  const history = textOf(annotations, historyAnnotation);
  const earlier = history === "" ? [] : history.split(",");
  if (earlier.at(-1) === before) return;
  annotations[historyAnnotation] = [...earlier, before].join(",").slice(-maxHistoryLength);
}

/** Records the Deployment's desired replicas on a ReplicaSet. A later reconcile detects scaling by comparing it. */
export function markScale(draft: DraftObject, deployment: JsonObject): void {
  Object.assign(ensureObject(ensureObject(draft, "metadata"), "annotations"), scaleAnnotations(deployment));
}

/** Whether the Deployment was scaled since the ReplicaSet was last scaled. */
export function isScaled(deployment: JsonObject, set: JsonObject): boolean {
  const noted = annotationOf(set, desiredAnnotation);
  return noted !== undefined && noted !== String(limitsOf(deployment).replicas);
}

function wantedAnnotations(deployment: JsonObject, revision: number): DraftObject {
  const own = Object.entries(objectAt(deployment, "metadata", "annotations") ?? {}).filter(
    ([key]) => !ownAnnotations.has(key),
  );
  return {
    ...copyJson(Object.fromEntries(own)),
    ...scaleAnnotations(deployment),
    [revisionAnnotation]: String(revision),
  };
}

function scaleAnnotations(deployment: JsonObject): DraftObject {
  const { replicas, maxSurge } = limitsOf(deployment);
  return { [desiredAnnotation]: String(replicas), [maxAnnotation]: String(replicas + maxSurge) };
}

function withoutHash(template: JsonObject): JsonObject {
  const copy = copyJson(template);
  const metadata = ensureObject(copy, "metadata");
  const labels = ensureObject(metadata, "labels");
  deleteKey(labels, hashLabel);
  return copy;
}

function createdAtMs(object: JsonObject): number {
  return timeAt(object, "metadata", "creationTimestamp") ?? 0;
}
