// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import { type Draft, type DraftObject, ensureObject, isObject } from "../json/json.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import type { ResourceFacts } from "../schema/schema.ts";

/** Remaining objects of one resource in a namespace. */
export interface ContentLeft {
  readonly facts: Pick<ResourceFacts, "group" | "version" | "resource">;
  readonly count: number;
  /** The finalizers of all of them, with repetitions. */
  readonly finalizers: readonly string[];
  /** The longest grace period in seconds; 0 if it has passed, when only finalizers may still keep the objects. */
  readonly graceSeconds: number;
}

/** The progress of a namespace's deletion. */
export interface DeletionProgress {
  readonly namespace: string;
  readonly left: readonly ContentLeft[];
  /** Only Pods were deleted so far. As in kube-apiserver, the conditions then omit the remaining objects. */
  readonly isWaitingForPods: boolean;
  /** The errors of failed deletes. */
  readonly failures: readonly Error[];
}

/** A condition of a namespace, without lastTransitionTime. */
export interface NamespaceCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The conditions without problems, in kube-apiserver's order. */
const fine: readonly NamespaceCondition[] = [
  ["NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"],
  ["NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"],
  [
    "NamespaceDeletionContentFailure",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  ["NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"],
  ["NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"],
].map(([type = "", reason = "", message = ""]) => ({ type, status: "False", reason, message }));

/** All five conditions, with kube-apiserver's messages. */
export function describeProgress(progress: DeletionProgress): readonly NamespaceCondition[] {
  const bad = [contentFailure(progress), ...(progress.isWaitingForPods ? [] : remaining(progress))];
  return fine.map((good) => bad.find((each) => each?.type === good.type) ?? good);
}

function contentFailure({ namespace, left, failures }: DeletionProgress): NamespaceCondition | undefined {
  const stuck = left
    .filter(({ graceSeconds, finalizers }) => graceSeconds === 0 && finalizers.length === 0)
    .map(
      ({ facts: { group, version, resource } }) =>
        `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${resource}`,
    );
  const messages = [...stuck, ...failures.map(({ message }) => message)].sort(compareUtf8);
  if (messages.length === 0) return undefined;
  return {
    type: "NamespaceDeletionContentFailure",
    status: "True",
    reason: "ContentDeletionFailed",
    message: `Failed to delete all resource types, ${messages.length} remaining: ${messages.join(", ")}`,
  };
}

function remaining({ left }: DeletionProgress): readonly NamespaceCondition[] {
  if (left.length === 0) return [];
  const resources = left.map(({ facts, count }) => `${facts.resource}.${facts.group} has ${count} resource instances`);
  const counts = new Map<string, number>();
  for (const finalizer of left.flatMap(({ finalizers }) => finalizers))
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  const finalizers = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  const conditions: NamespaceCondition[] = [
    {
      type: "NamespaceContentRemaining",
      status: "True",
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${resources.sort(compareUtf8).join(", ")}`,
    },
  ];
  if (finalizers.length > 0)
    conditions.push({
      type: "NamespaceFinalizersRemaining",
      status: "True",
      reason: "SomeFinalizersRemain",
      message: `Some content in the namespace has finalizers remaining: ${finalizers.sort(compareUtf8).join(", ")}`,
    });
  return conditions;
}

/**
 * Writes conditions into a namespace's status. lastTransitionTime changes only with a condition's status. Other
 * conditions stay.
 */
export function putConditions(draft: DraftObject, wanted: readonly NamespaceCondition[], now: string): void {
  const status = ensureObject(draft, "status");
  status["phase"] = "Terminating";
  const conditions: Draft[] = listAt(status, "conditions") ?? [];
  for (const condition of wanted) {
    const old = conditions.find((each) => isObject(each) && textAt(each, "type") === condition.type);
    if (!isObject(old)) {
      const { type, status: state, reason, message } = condition;
      conditions.push({ type, status: state, lastTransitionTime: now, reason, message });
      continue;
    }
    if (textAt(old, "status") !== condition.status) old["lastTransitionTime"] = now;
    Object.assign(old, condition);
  }
  status["conditions"] = conditions;
}
