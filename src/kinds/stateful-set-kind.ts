// SPDX-License-Identifier: Apache-2.0
import type { StatusReport } from "../model/status.ts";
import { integerOf, textOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";
import {
  availability,
  countOf,
  generationFacts,
  replicasOf,
  rollingOut,
  scaledToZero,
  setTemplate,
  templateColumns,
} from "./workload.ts";

/**
 * StatefulSets. They report no conditions, so the status depends on counts and on how long the observer has seen them
 * (KI20).
 */
export const statefulSetKind: Kind = {
  resource: { group: "apps", resource: "statefulsets" },
  kind: "StatefulSet",
  versions: ["v1"],
  isNamespaced: true,
  needsGenerationAge: true,
  columns: [
    { name: "replicas", type: "integer", isMain: true },
    { name: "updated", type: "integer", isMain: true },
    { name: "ready", type: "integer", isMain: true },
    { name: "available", type: "integer" },
    { name: "service", type: "string" },
    { name: "strategy", type: "string" },
    ...templateColumns,
  ],
  project: projectStatefulSet,
};

function projectStatefulSet(object: unknown): Projected {
  const columns: Columns = new Map();
  columns.set("replicas", replicasOf(object));
  columns.set("updated", countOf(object, "updatedReplicas"));
  columns.set("ready", countOf(object, "readyReplicas"));
  columns.set("available", countOf(object, "availableReplicas"));
  setColumn(columns, "service", textOf(object, "spec", "serviceName"));
  setColumn(columns, "strategy", textOf(object, "spec", "updateStrategy", "type"));
  setTemplate(columns, object);
  const isWithoutAny = replicasOf(object) > 0 && countOf(object, "readyReplicas") === 0;
  return { columns, status: statusOf(object), isWithoutAny, reconcile: generationFacts(object) };
}

function statusOf(object: unknown): StatusReport {
  const wanted = replicasOf(object);
  const created = countOf(object, "replicas");
  if (wanted === 0) return scaledToZero(created);
  if (created < wanted) return rollingOut("Creating", `${created} of ${wanted} replicas are created`);
  return rolloutOf(object, wanted) ?? availability(countOf(object, "readyReplicas"), wanted);
}

/**
 * What a rolling update still waits for. With OnDelete Pods are updated only when deleted, so there is nothing to wait
 * for.
 */
function rolloutOf(object: unknown, wanted: number): StatusReport | undefined {
  if (textOf(object, "spec", "updateStrategy", "type") === "OnDelete") return undefined;
  const partition = integerOf(object, "spec", "updateStrategy", "rollingUpdate", "partition") ?? 0;
  const toUpdate = Math.max(0, wanted - partition);
  const updated = countOf(object, "updatedReplicas");
  const [current, next] = [textOf(object, "status", "currentRevision"), textOf(object, "status", "updateRevision")];
  if (current === next) return undefined;
  if (updated < toUpdate) return rollingOut("RollingOut", `${updated} of ${toUpdate} replicas are updated`);
  const ready = countOf(object, "readyReplicas");
  if (partition === 0 && ready < wanted) return rollingOut("RollingOut", `${ready} of ${wanted} replicas are ready`);
  return undefined;
}
