// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import type { ObjectChange, ObjectReader } from "../../apiserver/resources/object-reader.ts";
import type { Clock } from "../../base/clock.ts";
import type { Outcome } from "../../base/keyed-queue.ts";
import { combineControllers, type KeysOf, type ResourceController } from "../../controllers/combine-controllers.ts";
import type { Controller } from "../../controllers/run-controller.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { isTerminating, nameOf, namespaceOf } from "./object-parts.ts";
import type { PlaygroundClient } from "./playground-client.ts";

/** What every controller here works with. */
export interface ControllerContext {
  readonly client: PlaygroundClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** Keys (`namespace/name`) of the controller's own resource that a change of another resource concerns. */
export type KeysOfChange = KeysOf<ObjectChange>;

/** A controller of one resource of a playground cluster: each of its objects is a key. */
export type PlaygroundController = ResourceController<ObjectChange>;

/** All of them as one, so that a cluster has one queue and one timer however many controllers it has. */
export function combinePlaygroundControllers(
  objects: ObjectReader,
  name: string,
  controllers: readonly PlaygroundController[],
): Controller<ObjectChange> {
  return combineControllers(controllers, {
    name,
    *namesOf(resource) {
      for (const object of objects.list(resource)) yield { namespace: namespaceOf(object), name: nameOf(object) };
    },
    // Nothing can be made in a namespace that is going; its objects go with it, so there is nothing to try again for.
    isMoot: (reason, { namespace }) =>
      isRefusal(reason, "Forbidden") && isTerminating(objects.get("namespaces", "", namespace) ?? {}),
  });
}

/** The sooner of two outcomes. */
export function soonest(...outcomes: readonly Outcome[]): Outcome {
  const delays = outcomes.flatMap(({ retryAfterMs }) => (retryAfterMs === undefined ? [] : [retryAfterMs]));
  return delays.length === 0 ? {} : { retryAfterMs: Math.max(0, Math.min(...delays)) };
}
