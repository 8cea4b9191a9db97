// SPDX-License-Identifier: Apache-2.0
import { setDisruptionAllowed, setSyncFailed } from "../../apiserver/builtin/policy/disruption-status.ts";
import { type DraftObject, ensureObject, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, valueAt } from "../../apiserver/json/json-fields.ts";
import { createLabelMatcher } from "../../apiserver/metadata/label-selector-object.ts";
import { countDisruptions, type DisruptionCounts, UncountablePods } from "./disruption-counts.ts";
import { labelsOf, nameOf } from "./object-parts.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";
import { updateStatus } from "./update-status.ts";

const budgets = "policy/poddisruptionbudgets";

/**
 * PodDisruptionBudgets: computes how many of their Pods may be disrupted. Evictions decrement that number until it is
 * computed again.
 */
export function createDisruptionController({ client, clock }: ControllerContext): PlaygroundController {
  const { objects } = client;
  const podsOf = (budget: JsonObject, namespace: string): readonly JsonObject[] => {
    const matches = createLabelMatcher(valueAt(budget, "spec", "selector"));
    return objects.list("pods", namespace).filter((pod) => matches(labelsOf(pod)));
  };
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
      let recheckInMs: number | undefined;
      await updateStatus(client, budgets, budget, (draft) => {
        // An eviction may have been written meanwhile, so the counts use the newest status.
        recheckInMs = count(draft, () => countDisruptions(objects, draft, podsOf(draft, namespace), clock.wallMs()));
      });
      return recheckInMs === undefined ? {} : { retryAfterMs: recheckInMs };
    },
  };

  function count(budget: DraftObject, counted: () => DisruptionCounts): number | undefined {
    const status = ensureObject(budget, "status");
    try {
      const { recheckInMs, ...counts } = counted();
      writeCounts(status, counts, countOf(budget, "metadata", "generation"));
      setDisruptionAllowed(status, clock.wallMs());
      return recheckInMs;
    } catch (reason) {
      if (!(reason instanceof UncountablePods)) throw reason;
      setSyncFailed(status, reason.message, clock.wallMs());
      return undefined;
    }
  }
}

function writeCounts(
  status: DraftObject,
  { expectedCount, desiredCount, healthyCount, disruptedPods }: Omit<DisruptionCounts, "recheckInMs">,
  observedGeneration: number,
): void {
  status["currentHealthy"] = healthyCount;
  status["desiredHealthy"] = desiredCount;
  status["disruptionsAllowed"] = expectedCount === 0 ? 0 : Math.max(0, healthyCount - desiredCount);
  status["expectedPods"] = expectedCount;
  status["observedGeneration"] = observedGeneration;
  if (Object.keys(disruptedPods).length === 0) delete status["disruptedPods"];
  else status["disruptedPods"] = { ...disruptedPods };
}
