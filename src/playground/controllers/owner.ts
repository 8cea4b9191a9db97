// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, type JsonObject } from "../../apiserver/json/json.ts";
import { objectsAt, textOf } from "../../apiserver/json/json-fields.ts";
import type { ObjectReader } from "../../apiserver/resources/object-reader.ts";
import { nameOf, namespaceOf, uidOf } from "./object-parts.ts";

/** A kind that owns objects. */
export interface OwnerKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Its resource id. */
  readonly resource: string;
}

/** The kinds that own Pods directly or indirectly, and Services, which own EndpointSlices. */
export const ownerKinds = {
  deployment: { apiVersion: "apps/v1", kind: "Deployment", resource: "apps/deployments" },
  replicaSet: { apiVersion: "apps/v1", kind: "ReplicaSet", resource: "apps/replicasets" },
  statefulSet: { apiVersion: "apps/v1", kind: "StatefulSet", resource: "apps/statefulsets" },
  daemonSet: { apiVersion: "apps/v1", kind: "DaemonSet", resource: "apps/daemonsets" },
  job: { apiVersion: "batch/v1", kind: "Job", resource: "batch/jobs" },
  cronJob: { apiVersion: "batch/v1", kind: "CronJob", resource: "batch/cronjobs" },
  replicationController: { apiVersion: "v1", kind: "ReplicationController", resource: "replicationcontrollers" },
  service: { apiVersion: "v1", kind: "Service", resource: "services" },
} as const satisfies Readonly<Record<string, OwnerKind>>;

/** The owner reference of a controller: it counts the object, and garbage collection deletes the object with it. */
export function controllerReference({ apiVersion, kind }: OwnerKind, owner: JsonObject): DraftObject {
  return { apiVersion, kind, name: nameOf(owner), uid: uidOf(owner), controller: true, blockOwnerDeletion: true };
}

/** The owner reference of the object's controller. */
export function controllerOf(object: JsonObject): JsonObject | undefined {
  return objectsAt(object, "metadata", "ownerReferences").find((each) => each["controller"] === true);
}

/** Objects of a resource that this owner controls, in key order. */
export function ownedBy(objects: ObjectReader, resource: string, owner: JsonObject): readonly JsonObject[] {
  const uid = uidOf(owner);
  return objects.list(resource, namespaceOf(owner)).filter((each) => textOf(controllerOf(each) ?? {}, "uid") === uid);
}

/** The key of an object's controller, if it is of that kind. */
export function controllerKey(object: JsonObject, { kind }: OwnerKind): string | undefined {
  const reference = controllerOf(object);
  if (reference === undefined || textOf(reference, "kind") !== kind) return undefined;
  return `${namespaceOf(object)}/${textOf(reference, "name")}`;
}

/**
 * The name of the Pod's workload: the Deployment of its ReplicaSet, the CronJob of its Job, else its controller, else
 * the Pod.
 */
export function workloadNameOf(objects: ObjectReader, pod: JsonObject): string {
  const direct = controllerOf(pod);
  if (direct === undefined) return nameOf(pod);
  const name = textOf(direct, "name");
  const between = Object.values(ownerKinds).find(({ kind }) => kind === textOf(direct, "kind"));
  const owner = between === undefined ? undefined : objects.get(between.resource, namespaceOf(pod), name);
  const above = owner === undefined ? undefined : controllerOf(owner);
  return above === undefined ? name : textOf(above, "name");
}
