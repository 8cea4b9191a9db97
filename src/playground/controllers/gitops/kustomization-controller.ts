// SPDX-License-Identifier: Apache-2.0
import { ensureObject, type JsonObject } from "../../../apiserver/json/json.ts";
import { countOf, textAt, textOf, valueAt } from "../../../apiserver/json/json-fields.ts";
import type { Outcome } from "../../../base/queues/keyed-queue.ts";
import { type ConditionValue, setCondition } from "../object-conditions.ts";
import { conditionOf, nameOf, namespaceOf, timeAt, uidOf } from "../object-parts.ts";
import type { ControllerContext, PlaygroundController } from "../playground-controller.ts";
import { hashText } from "../stable-hash.ts";
import { hasTrouble, isTroubleChange } from "../trouble-list.ts";
import { updateStatus } from "../update-status.ts";
import { gitRepositories } from "./flux-source-controller.ts";

const kustomizations = "kustomize.toolkit.fluxcd.io/kustomizations";

/**
 * Flux Kustomizations: each revision of the source is applied within some seconds. Under `failing-kustomization` the
 * build fails.
 */
export function createKustomizationController(context: ControllerContext): PlaygroundController {
  const { client } = context;
  const keyOf = (object: JsonObject): string => `${namespaceOf(object)}/${nameOf(object)}`;
  return {
    name: "kustomization",
    resource: kustomizations,
    watches: {
      [gitRepositories]: () => client.objects.list(kustomizations).map(keyOf),
      configmaps: (change) => (isTroubleChange(change) ? client.objects.list(kustomizations).map(keyOf) : []),
    },
    async reconcile({ namespace, name }) {
      const object = client.objects.get(kustomizations, namespace, name);
      if (object === undefined || valueAt(object, "spec", "suspend") === true) return {};
      const sourceNamespace = textOf(object, "spec", "sourceRef", "namespace") || namespace;
      const source = client.objects.get(gitRepositories, sourceNamespace, textOf(object, "spec", "sourceRef", "name"));
      const revision = source === undefined ? undefined : textAt(source, "status", "artifact", "revision");
      if (revision === undefined) {
        const message = `Source artifact not found, retrying in 30s`;
        return await write(context, object, {
          ready: { type: "Ready", status: "False", reason: "ArtifactFailed", message },
        });
      }
      if (hasTrouble(client.objects, { trouble: "failing-kustomization", namespace, name })) {
        const message =
          "kustomize build failed: accumulating resources: accumulation err='accumulating resources from 'deployment.yaml': open deployment.yaml: no such file or directory'";
        return await write(context, object, {
          ready: { type: "Ready", status: "False", reason: "BuildFailed", message },
          attempted: revision,
        });
      }
      return await applyRevision(context, object, revision);
    },
  };
}

async function applyRevision(context: ControllerContext, object: JsonObject, revision: string): Promise<Outcome> {
  const ready = conditionOf(object, "Ready");
  const applied = textOf(object, "status", "lastAppliedRevision");
  const isReady = ready !== undefined && textOf(ready, "status") === "True";
  const message = `Applied revision: ${revision}`;
  const success: ConditionValue = { type: "Ready", status: "True", reason: "ReconciliationSucceeded", message };
  if (isReady && applied === revision)
    return await write(context, object, { ready: success, attempted: revision, applied: revision });
  const isUnderWay = ready !== undefined && textOf(ready, "status") === "Unknown";
  if (!isUnderWay)
    return await write(context, object, {
      ready: { type: "Ready", status: "Unknown", reason: "Progressing", message: "Reconciliation in progress" },
      attempted: revision,
    });
  const tookMs = 3000 + (hashText(`${uidOf(object)} ${revision}`) % 9000);
  const leftMs = (timeAt(ready, "lastTransitionTime") ?? 0) + tookMs - context.clock.wallMs();
  if (leftMs > 0) return { retryAfterMs: leftMs };
  return await write(context, object, { ready: success, attempted: revision, applied: revision });
}

async function write(
  { client, clock, events }: ControllerContext,
  object: JsonObject,
  state: { readonly ready: ConditionValue; readonly attempted?: string; readonly applied?: string },
): Promise<Outcome> {
  const nowMs = clock.wallMs();
  const written = await updateStatus(client, kustomizations, object, (draft) => {
    const status = ensureObject(draft, "status");
    const observedGeneration = countOf(draft, "metadata", "generation");
    status["observedGeneration"] = observedGeneration;
    if (state.attempted !== undefined) status["lastAttemptedRevision"] = state.attempted;
    if (state.applied !== undefined) status["lastAppliedRevision"] = state.applied;
    setCondition(draft, state.ready, nowMs, { more: { observedGeneration } });
  });
  if (written === undefined || written === object || state.ready.status === "Unknown") return {};
  await events.record(
    { apiVersion: "kustomize.toolkit.fluxcd.io/v1", kind: "Kustomization", object },
    {
      type: state.ready.status === "True" ? "Normal" : "Warning",
      reason: state.ready.reason ?? "",
      message: state.ready.message ?? "",
      component: "kustomize-controller",
    },
  );
  return {};
}
