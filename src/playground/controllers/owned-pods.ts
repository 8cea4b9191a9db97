// SPDX-License-Identifier: Apache-2.0
import type { DraftObject, JsonObject } from "../../apiserver/json/json.ts";
import { nameOf, namespaceOf, uidOf } from "./object-parts.ts";
import type { OwnerKind } from "./owner.ts";
import type { ControllerContext } from "./playground-controller.ts";

/** The controller that creates and deletes Pods, as named in its events. */
export interface PodOwner {
  readonly kind: OwnerKind;
  readonly object: JsonObject;
  /** `replicaset-controller` */
  readonly component: string;
}

/**
 * Creates Pods concurrently. If any fail, records an event and rejects with the first refusal, after all have been
 * tried.
 */
export async function createPods(
  { client, events }: ControllerContext,
  owner: PodOwner,
  pods: readonly DraftObject[],
): Promise<void> {
  const subject = { ...owner.kind, object: owner.object };
  const ends = await Promise.allSettled(
    pods.map(async (pod) => {
      const made = await client.create("pods", pod);
      await events.record(subject, {
        type: "Normal",
        reason: "SuccessfulCreate",
        message: `Created pod: ${nameOf(made)}`,
        component: owner.component,
      });
    }),
  );
  for (const end of ends) {
    if (end.status === "fulfilled") continue;
    // The generated name of a refused Pod is removed; otherwise each failure would be a new event.
    const text = end.reason instanceof Error ? end.reason.message : "";
    const message = text.replace(/"([a-z0-9.-]+-)[a-z0-9]{5}"/, '"$1"');
    await events.record(subject, {
      type: "Warning",
      reason: "FailedCreate",
      message: `Error creating: ${message}`,
      component: owner.component,
    });
    throw end.reason;
  }
}

/** Deletes Pods concurrently. Pods that are already gone count as deleted. */
export async function deletePods(
  { client, events }: ControllerContext,
  owner: PodOwner,
  pods: readonly JsonObject[],
): Promise<void> {
  await Promise.all(
    pods.map(async (pod) => {
      const ref = { resource: "pods", namespace: namespaceOf(pod), name: nameOf(pod) };
      if (!(await client.delete(ref, { uid: uidOf(pod) }))) return;
      await events.record(
        { ...owner.kind, object: owner.object },
        {
          type: "Normal",
          reason: "SuccessfulDelete",
          message: `Deleted pod: ${nameOf(pod)}`,
          component: owner.component,
        },
      );
    }),
  );
}
