// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, ensureObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import { setContainerDefaults } from "./container-defaults.ts";
import { roundResourceList, setResourceDefaults } from "./quantity-value.ts";
import { setVolumeDefaults } from "./volume-defaults.ts";

/** The container lists of a Pod, in the order in which the API processes them. */
export const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Kubernetes' default grace period of a Pod. */
export const defaultGraceSeconds = 30;

/**
 * Sets the defaults of a pod spec, in a Pod or a template. Defaults of Pods only (requests from limits, service links,
 * host ports) are in core/pod-defaults.ts.
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

/** Sets the defaults of a pod template. */
export function setPodTemplateDefaults(template: DraftObject): void {
  setPodSpecDefaults(ensureObject(template, "spec"));
}

/**
 * Sets `serviceAccount`, the old name of `serviceAccountName`, and the latter to the same value. If both are given,
 * `serviceAccountName` wins.
 */
export function mirrorServiceAccount(spec: DraftObject): void {
  const name = textOf(spec, "serviceAccountName") || textOf(spec, "serviceAccount");
  for (const key of ["serviceAccountName", "serviceAccount"]) {
    if (name === "") deleteKey(spec, key);
    else spec[key] = name;
  }
}
