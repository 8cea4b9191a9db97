// SPDX-License-Identifier: Apache-2.0
// Defaults of Pods that pod templates do not get.

import { type DraftObject, ensureObject, getKey, setKey } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { setIfAbsent } from "../checks/object-fields.ts";
import { setPodSpecDefaults } from "../pod-spec/pod-spec-defaults.ts";
import { isHugePages } from "../pod-spec/resource-names.ts";
import { containerTotal } from "./pod-totals.ts";

/** Sets the defaults of a Pod. */
export function setPodDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  for (const list of ["containers", "initContainers"])
    for (const container of objectsAt(spec, list)) {
      setRequestsFromLimits(objectAt(container, "resources"));
      if (getKey(spec, "hostNetwork") === true) setHostPorts(container);
    }
  setPodRequests(spec);
  setIfAbsent(spec, "enableServiceLinks", true);
  setPodSpecDefaults(spec);
  // A negative grace period becomes one second.
  if (countOf(spec, "terminationGracePeriodSeconds") < 0) spec["terminationGracePeriodSeconds"] = 1;
  mirrorPodIp(objectAt(object, "status"));
}

function setRequestsFromLimits(resources: DraftObject | undefined): void {
  const limits = resources === undefined ? undefined : objectAt(resources, "limits");
  if (resources === undefined || limits === undefined) return;
  for (const name of Object.keys(limits)) {
    const requests = ensureObject(resources, "requests");
    if (getKey(requests, name) === undefined) setKey(requests, name, textOf(limits, name));
  }
}

function setHostPorts(container: DraftObject): void {
  for (const port of objectsAt(container, "ports"))
    if (countOf(port, "hostPort") === 0) port["hostPort"] = countOf(port, "containerPort");
}

/**
 * Sets missing requests of a Pod that has pod-level limits: the containers' total of cpu and memory, else the limit.
 */
function setPodRequests(spec: DraftObject): void {
  const resources = objectAt(spec, "resources");
  const limits = resources === undefined ? undefined : objectAt(resources, "limits");
  if (resources === undefined || limits === undefined || Object.keys(limits).length === 0) return;
  const requests = ensureObject(resources, "requests");
  for (const name of ["cpu", "memory"]) {
    const sum = containerTotal(spec, "requests", name);
    if (sum !== undefined && getKey(requests, name) === undefined) setKey(requests, name, sum);
  }
  for (const name of Object.keys(limits)) {
    const isCounted = name === "cpu" || name === "memory" || isHugePages(name);
    if (isCounted && getKey(requests, name) === undefined) setKey(requests, name, textOf(limits, name));
  }
}

/** `podIP` mirrors the first of `podIPs`. If they differ, `podIP` replaces the list. */
function mirrorPodIp(status: DraftObject | undefined): void {
  if (status === undefined) return;
  const ip = textOf(status, "podIP");
  const [first] = objectsAt(status, "podIPs");
  if (ip !== "" && (first === undefined || textOf(first, "ip") !== ip)) status["podIPs"] = [{ ip }];
  else if (ip === "" && first !== undefined) status["podIP"] = textOf(first, "ip");
}
