// SPDX-License-Identifier: Apache-2.0
import { ensureObject, type JsonObject, valueAt } from "../../apiserver/json/json.ts";
import { createLabelMatcher } from "../../apiserver/metadata/label-selector.ts";
import { setCondition } from "./conditions.ts";
import { toCount } from "./deployment/rollout-plan.ts";
import { countAt, countOf, labelsOf, nameOf, namespaceOf, textOf } from "./object-parts.ts";
import { controllerOf, ownerKinds } from "./owner.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";
import { isActive, isReady } from "./pod-facts.ts";
import { updateStatus } from "./update-status.ts";

const budgets = "policy/poddisruptionbudgets";

/** PodDisruptionBudgets: how many of their Pods may go now. */
export function createDisruptionController({ client, clock }: ControllerContext): PlaygroundController {
  const { objects } = client;
  return {
    name: "disruption",
    resource: budgets,
    watches: {
      pods: ({ namespace, object }) =>
        objects
          .list(budgets, namespace)
          .filter((each) => createLabelMatcher(valueAt(each, "spec", "selector"))(labelsOf(object)))
          .map((each) => `${namespace}/${nameOf(each)}`),
    },
    async reconcile({ namespace, name }) {
      const budget = objects.get(budgets, namespace, name);
      if (budget === undefined) return {};
      const matches = createLabelMatcher(valueAt(budget, "spec", "selector"));
      const pods = objects.list("pods", namespace).filter((pod) => isActive(pod) && matches(labelsOf(pod)));
      const expected = Math.max(pods.length, wantedCount(client.objects, pods));
      const healthy = pods.filter(isReady).length;
      const most = valueAt(budget, "spec", "maxUnavailable");
      const desired =
        most === undefined
          ? toCount(valueAt(budget, "spec", "minAvailable") ?? 1, expected, Math.ceil)
          : Math.max(0, expected - toCount(most, expected, Math.ceil));
      const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
      await updateStatus(client, budgets, budget, (draft) => {
        const status = ensureObject(draft, "status");
        const observedGeneration = countOf(draft, "metadata", "generation");
        Object.assign(status, {
          currentHealthy: healthy,
          desiredHealthy: desired,
          disruptionsAllowed: allowed,
          expectedPods: expected,
          observedGeneration,
        });
        const isAllowed = allowed > 0;
        setCondition(
          draft,
          {
            type: "DisruptionAllowed",
            status: isAllowed ? "True" : "False",
            reason: isAllowed ? "SufficientPods" : "InsufficientPods",
          },
          clock.wallMs(),
          { more: { observedGeneration } },
        );
      });
      return {};
    },
  };
}

/** Pods that the controllers of these Pods ask for together. */
function wantedCount(objects: ControllerContext["client"]["objects"], pods: readonly JsonObject[]): number {
  const wanted = new Map<string, number>();
  for (const pod of pods) {
    const reference = controllerOf(pod);
    const kind = Object.values(ownerKinds).find((each) => each.kind === textOf(reference ?? {}, "kind"));
    if (reference === undefined || kind === undefined) continue;
    const owner = objects.get(kind.resource, namespaceOf(pod), textOf(reference, "name"));
    if (owner !== undefined) wanted.set(textOf(reference, "uid"), countAt(owner, "spec", "replicas") ?? 1);
  }
  return [...wanted.values()].reduce((sum, each) => sum + each, 0);
}
