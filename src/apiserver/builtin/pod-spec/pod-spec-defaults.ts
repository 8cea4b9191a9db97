// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, ensureObject, objectAt } from "../../json/json.ts";
import { setContainerDefaults } from "./container-defaults.ts";
import { objectsAt, setIfAbsent, setIfEmpty, textOf } from "./pod-spec-fields.ts";
import { roundResourceList, setResourceDefaults } from "./resource-defaults.ts";
import { setVolumeDefaults } from "./volume-defaults.ts";

/** The lists of containers of a Pod, in the order in which the API treats them. */
export const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Seconds that containers get to end when the Pod names none. */
export const defaultGraceSeconds = 30;

/**
 * Fills the defaults that every pod spec gets, in a Pod and in a template alike. What only Pods get (requests from limits, service links, host ports) is
 * in core/pod-defaults.ts.
 */
export function setPodSpecDefaults(spec: DraftObject): void {
  setIfEmpty(spec, "dnsPolicy", "ClusterFirst");
  setIfEmpty(spec, "restartPolicy", "Always");
  ensureObject(spec, "securityContext");
  setIfAbsent(spec, "terminationGracePeriodSeconds", defaultGraceSeconds);
  setIfEmpty(spec, "schedulerName", "default-scheduler");
  mirrorServiceAccount(spec);
  for (const volume of objectsAt(spec, "volumes")) setVolumeDefaults(volume);
  for (const list of containerLists) for (const container of objectsAt(spec, list)) setContainerDefaults(container);
  roundResourceList(objectAt(spec, "overhead"));
  setResourceDefaults(objectAt(spec, "resources"));
}

/** Fills the defaults of a pod template (`metadata` and `spec`). */
export function setPodTemplateDefaults(template: DraftObject): void {
  setPodSpecDefaults(ensureObject(template, "spec"));
}

/** `serviceAccount` is the old name of `serviceAccountName`: it counts only where the other is empty, and always reads the same. */
export function mirrorServiceAccount(spec: DraftObject): void {
  const name = textOf(spec, "serviceAccountName") || textOf(spec, "serviceAccount");
  for (const key of ["serviceAccountName", "serviceAccount"]) {
    if (name === "") deleteKey(spec, key);
    else spec[key] = name;
  }
}
