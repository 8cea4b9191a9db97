// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, isObject, listAt, textAt } from "../../json/json.ts";
import { formatTime } from "../../metadata/time-text.ts";

/** Sets the Pod's `DisruptionTarget` condition to True: an eviction is ending the Pod. */
export function setDisruptionTarget(pod: DraftObject, nowMs: number): void {
  const status = ensureObject(pod, "status");
  const conditions = listAt(status, "conditions") ?? [];
  const at = conditions.findIndex((each) => textAt(each, "type") === "DisruptionTarget");
  const old = conditions[at];
  const isSame = isObject(old) && old["status"] === "True";
  const set = {
    ...(isObject(old) ? old : {}),
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: (isSame ? textAt(old, "lastTransitionTime") : undefined) ?? formatTime(nowMs),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  if (at === -1) conditions.push(set);
  else conditions[at] = set;
  status["conditions"] = conditions;
}
