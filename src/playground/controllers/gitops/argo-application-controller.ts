// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, type JsonObject } from "../../../apiserver/json/json.ts";
import { textAt, textOf } from "../../../apiserver/json/json-fields.ts";
import type { ObjectReader } from "../../../apiserver/resources/object-reader.ts";
import { formatTime } from "../../../apiserver/schema-decode/go-time.ts";
import { conditionOf, nameOf, namespaceOf } from "../object-parts.ts";
import { ownerKinds } from "../owner.ts";
import type { ControllerContext, PlaygroundController } from "../playground-controller.ts";
import { updateStatus } from "../update-status.ts";
import { branchAt } from "./git-history.ts";

const applications = "argoproj.io/applications";

/** How long a new commit stays out of sync. */
const outOfSyncMs = 20_000;

/**
 * Argo CD Applications: out of sync for a while after each new commit. Health follows the Deployments in the
 * destination namespace.
 */
export function createArgoApplicationController({ client, clock }: ControllerContext): PlaygroundController {
  return {
    name: "argo-application",
    resource: applications,
    watches: {
      [ownerKinds.deployment.resource]: ({ namespace }) =>
        client.objects
          .list(applications)
          .filter((each) => textOf(each, "spec", "destination", "namespace") === namespace)
          .map((each) => `${namespaceOf(each)}/${nameOf(each)}`),
    },
    async reconcile({ namespace, name }) {
      const object = client.objects.get(applications, namespace, name);
      if (object === undefined) return {};
      const nowMs = clock.wallMs();
      const repository = textOf(object, "spec", "source", "repoURL");
      const target = textOf(object, "spec", "source", "targetRevision") || "HEAD";
      const branch = branchAt(`${repository} ${target}`, nowMs);
      const before = textOf(object, "status", "sync", "revision");
      const isFirst = before === "";
      const isSynced = isFirst || before === branch.commit || branch.ageMs >= outOfSyncMs;
      const revision = isSynced ? branch.commit : before;
      const health = healthOf(client.objects, textOf(object, "spec", "destination", "namespace"));
      await updateStatus(client, applications, object, (draft) => {
        const status = ensureObject(draft, "status");
        status["sync"] = { status: isSynced ? "Synced" : "OutOfSync", revision };
        if (textAt(status, "health", "status") !== health)
          status["health"] = { status: health, lastTransitionTime: formatTime(nowMs) };
        status["sourceType"] = "Kustomize";
        if (before !== revision) setOperation(status, revision, nowMs);
      });
      return { retryAfterMs: isSynced ? branch.nextInMs : outOfSyncMs - branch.ageMs };
    },
  };
}

function setOperation(status: DraftObject, revision: string, nowMs: number): void {
  const time = formatTime(nowMs);
  status["reconciledAt"] = time;
  status["operationState"] = {
    phase: "Succeeded",
    message: "successfully synced (all tasks run)",
    startedAt: time,
    finishedAt: time,
    operation: { sync: { revision } },
    syncResult: { revision },
  };
}

/** Degraded if a Deployment exceeded its progress deadline, progressing while one is not available, else healthy. */
function healthOf(objects: ObjectReader, namespace: string): string {
  const deployments = objects.list(ownerKinds.deployment.resource, namespace);
  const is = (type: string, status: string) => (each: JsonObject) => {
    const condition = conditionOf(each, type);
    return condition !== undefined && textOf(condition, "status") === status;
  };
  if (deployments.some(is("Progressing", "False"))) return "Degraded";
  return deployments.some((each) => !is("Available", "True")(each)) ? "Progressing" : "Healthy";
}
