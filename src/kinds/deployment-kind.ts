// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { conditionsOf, findCondition, statusFrom } from "./conditions.ts";
import { booleanOf, textOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";
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

/** Deployments. During a rollout the status follows `kubectl rollout status`, afterwards the available replicas. */
export const deploymentKind: Kind = {
  resource: { group: "apps", resource: "deployments" },
  kind: "Deployment",
  versions: ["v1"],
  isNamespaced: true,
  columns: [
    { name: "replicas", type: "integer", isMain: true },
    { name: "updated", type: "integer", isMain: true },
    { name: "ready", type: "integer", isMain: true },
    { name: "available", type: "integer", isMain: true },
    { name: "strategy", type: "string" },
    { name: "paused", type: "boolean" },
    ...templateColumns,
  ],
  project: projectDeployment,
};

function projectDeployment(object: unknown): Projected {
  const columns: Columns = new Map();
  columns.set("replicas", replicasOf(object));
  columns.set("updated", countOf(object, "updatedReplicas"));
  columns.set("ready", countOf(object, "readyReplicas"));
  columns.set("available", countOf(object, "availableReplicas"));
  setColumn(columns, "strategy", textOf(object, "spec", "strategy", "type"));
  if (booleanOf(object, "spec", "paused") === true) columns.set("paused", true);
  setTemplate(columns, object);
  return { columns, status: statusOf(object), reconcile: generationFacts(object) };
}

function statusOf(object: unknown): StatusReport {
  const conditions = conditionsOf(object);
  const progressing = findCondition(conditions, "Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded") return statusFrom("unhealthy", progressing);
  const wanted = replicasOf(object);
  const available = countOf(object, "availableReplicas");
  const running = countOf(object, "replicas");
  const failure = replicaFailure(findCondition(conditions, "ReplicaFailure"), available);
  if (failure !== undefined) return failure;
  if (wanted === 0) return scaledToZero(running);
  const rollout = rolloutOf(object, wanted, running);
  if (rollout !== undefined && booleanOf(object, "spec", "paused") === true)
    return createStatusReport("suspended", "Paused", `paused during a rollout: ${rollout.message}`);
  if (rollout !== undefined) return rollout;
  // The controller sets this reason when a rollout completes, and keeps it while Pods come and go afterwards.
  const isRolledOut = progressing === undefined || progressing.reason === "NewReplicaSetAvailable";
  if (isRolledOut || available >= wanted) return availability(available, wanted, countOf(object, "readyReplicas"));
  return rollingOut("RollingOut", `${available} of ${wanted} updated replicas are available`);
}

/** What a rollout still waits for; undefined once all Pods have the new template. */
function rolloutOf(object: unknown, wanted: number, running: number): StatusReport | undefined {
  const updated = countOf(object, "updatedReplicas");
  if (updated < wanted) return rollingOut("RollingOut", `${updated} of ${wanted} replicas are updated`);
  if (running > updated) return rollingOut("RollingOut", `${running - updated} old replicas still exist`);
  return undefined;
}
