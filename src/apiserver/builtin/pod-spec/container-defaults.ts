// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { isSet, setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import { defaultPullPolicy } from "./image-reference.ts";
import { setResourceDefaults } from "./quantity-value.ts";
import { setFieldRefDefaults } from "./volume-defaults.ts";

/** The fields of a container that hold probes. */
export const probeNames = ["livenessProbe", "readinessProbe", "startupProbe"] as const;

/** Sets the defaults of a container of any list: regular, init or ephemeral. */
export function setContainerDefaults(container: DraftObject): void {
  setIfEmpty(container, "imagePullPolicy", defaultPullPolicy(textOf(container, "image")));
  setIfEmpty(container, "terminationMessagePath", "/dev/termination-log");
  setIfEmpty(container, "terminationMessagePolicy", "File");
  for (const port of objectsAt(container, "ports")) setIfEmpty(port, "protocol", "TCP");
  for (const variable of objectsAt(container, "env")) {
    setFieldRefDefaults(objectAt(variable, "valueFrom", "fieldRef"));
    const fileKey = objectAt(variable, "valueFrom", "fileKeyRef");
    if (fileKey !== undefined) setIfAbsent(fileKey, "optional", false);
  }
  setResourceDefaults(objectAt(container, "resources"));
  dropStopSignal(container);
  for (const name of probeNames) setProbeDefaults(objectAt(container, name));
  for (const hook of ["postStart", "preStop"]) setHttpGetDefaults(objectAt(container, "lifecycle", hook, "httpGet"));
}

/** Drops `lifecycle.stopSignal`: it needs an alpha feature gate that is off. */
function dropStopSignal(container: DraftObject): void {
  const lifecycle = objectAt(container, "lifecycle");
  if (lifecycle === undefined || !isSet(lifecycle, "stopSignal")) return;
  deleteKey(lifecycle, "stopSignal");
  if (Object.keys(lifecycle).length === 0) deleteKey(container, "lifecycle");
}

function setProbeDefaults(probe: DraftObject | undefined): void {
  if (probe === undefined) return;
  setIfEmpty(probe, "timeoutSeconds", 1);
  setIfEmpty(probe, "periodSeconds", 10);
  setIfEmpty(probe, "successThreshold", 1);
  setIfEmpty(probe, "failureThreshold", 3);
  setHttpGetDefaults(objectAt(probe, "httpGet"));
  const grpc = objectAt(probe, "grpc");
  if (grpc !== undefined) setIfAbsent(grpc, "service", "");
}

function setHttpGetDefaults(httpGet: DraftObject | undefined): void {
  if (httpGet === undefined) return;
  setIfEmpty(httpGet, "path", "/");
  setIfEmpty(httpGet, "scheme", "HTTP");
}
