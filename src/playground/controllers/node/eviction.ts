// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../../../apiserver/json/json.ts";
import { objectsAt, textOf } from "../../../apiserver/json/json-fields.ts";
import { setPodCondition } from "../kubelet/pod-conditions.ts";
import { conditionOf, countAt, isTerminating, nameOf, namespaceOf, timeAt, uidOf } from "../object-parts.ts";
import type { ControllerContext, PlaygroundController } from "../playground-controller.ts";
import { isFinished, isReady } from "../pod-facts.ts";
import { updateStatus } from "../update-status.ts";
import { tolerates } from "./scheduler.ts";

/** Speed-up of toleration times: five minutes become one. */
const speedUp = 5;

/** Pods on a node that is not ready: marked not ready at once, deleted when their toleration ends. */
export function createEviction({ client, clock, events }: ControllerContext): PlaygroundController {
  const { objects } = client;
  return {
    name: "eviction",
    resource: "pods",
    watches: {
      nodes: ({ name }) =>
        objects
          .list("pods")
          .filter((pod) => textOf(pod, "spec", "nodeName") === name)
          .map((pod) => `${namespaceOf(pod)}/${nameOf(pod)}`),
    },
    async reconcile({ namespace, name }) {
      const pod = objects.get("pods", namespace, name);
      const node = pod && objects.get("nodes", "", textOf(pod, "spec", "nodeName"));
      if (pod === undefined || node === undefined || isTerminating(pod) || isFinished(pod)) return {};
      const ready = conditionOf(node, "Ready");
      if (ready === undefined || textOf(ready, "status") === "True") return {};
      if (isReady(pod)) {
        const nowMs = clock.wallMs();
        await updateStatus(client, "pods", pod, (draft) =>
          setPodCondition(draft, { type: "Ready", status: "False" }, nowMs),
        );
      }
      const tolerationMs = tolerationMsOf(pod, node);
      if (tolerationMs === undefined) return {};
      const leftMs = (timeAt(ready, "lastTransitionTime") ?? 0) + tolerationMs - clock.wallMs();
      if (leftMs > 0) return { retryAfterMs: leftMs };
      const message = `Marking for deletion Pod ${namespace}/${name}`;
      await events.record(
        { apiVersion: "v1", kind: "Pod", object: pod },
        { type: "Normal", reason: "TaintManagerEviction", message, component: "taint-eviction-controller" },
      );
      await client.delete({ resource: "pods", namespace, name }, { uid: uidOf(pod) });
      return {};
    },
  };
}

/** How long a Pod stays on a node with these taints; undefined for no limit. */
function tolerationMsOf(pod: JsonObject, node: JsonObject): number | undefined {
  const noExecute = objectsAt(node, "spec", "taints").filter((taint) => textOf(taint, "effect") === "NoExecute");
  if (noExecute.length === 0) return undefined;
  if (noExecute.some((taint) => !tolerates(pod, taint))) return 0;
  const seconds = noExecute.flatMap((taint) =>
    objectsAt(pod, "spec", "tolerations")
      .filter((each) => tolerates({ spec: { tolerations: [each] } }, taint))
      .flatMap((each) => countAt(each, "tolerationSeconds") ?? []),
  );
  return seconds.length === 0 ? undefined : (Math.min(...seconds) * 1000) / speedUp;
}
