// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { conditionsOf, findCondition } from "./conditions.ts";
import { booleanOf, listOf } from "./fields.ts";
import type { Columns, Kind, Projected } from "./kind.ts";
import {
  availability,
  countOf,
  generationFacts,
  replicaFailure,
  replicasOf,
  rollingOut,
  scaledToZero,
  setTemplate,
  templateColumns,
} from "./workload.ts";

/**
 * ReplicaSets. One with a controller is `progressing` until it is complete; its Deployment's status shows whether that
 * is a problem.
 */
export const replicaSetKind: Kind = {
  resource: { group: "apps", resource: "replicasets" },
  kind: "ReplicaSet",
  versions: ["v1"],
  isNamespaced: true,
  columns: [
    { name: "replicas", type: "integer", isMain: true },
    { name: "current", type: "integer", isMain: true },
    { name: "ready", type: "integer", isMain: true },
    { name: "available", type: "integer", isMain: true },
    ...templateColumns,
  ],
  project: projectReplicaSet,
};

function projectReplicaSet(object: unknown): Projected {
  const columns: Columns = new Map();
  columns.set("replicas", replicasOf(object));
  columns.set("current", countOf(object, "replicas"));
  columns.set("ready", countOf(object, "readyReplicas"));
  columns.set("available", countOf(object, "availableReplicas"));
  setTemplate(columns, object);
  return { columns, status: statusOf(object), reconcile: generationFacts(object) };
}

function statusOf(object: unknown): StatusReport {
  const [wanted, created, available] = [
    replicasOf(object),
    countOf(object, "replicas"),
    countOf(object, "availableReplicas"),
  ];
  const failure = replicaFailure(findCondition(conditionsOf(object), "ReplicaFailure"), available);
  if (failure !== undefined) return failure;
  if (wanted === 0) return scaledToZero(created);
  if (available >= wanted) return createStatusReport("healthy");
  if (created < wanted) return rollingOut("Creating", `${created} of ${wanted} replicas are created`);
  const owners = listOf(object, "metadata", "ownerReferences");
  const hasController = owners.some((each) => booleanOf(each, "controller") === true);
  if (hasController) return rollingOut("RollingOut", `${available} of ${wanted} replicas are available`);
  return availability(available, wanted, countOf(object, "readyReplicas"));
}
