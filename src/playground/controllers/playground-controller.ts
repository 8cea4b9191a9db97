// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import type { ObjectChange, ObjectReader } from "../../apiserver/resources/object-reader.ts";
import type { Outcome } from "../../base/queues/keyed-queue.ts";
import type { Clock } from "../../base/time/clock.ts";
import { combineControllers, type KeysOf, type ResourceController } from "../../controllers/combine-controllers.ts";
import type { Controller } from "../../controllers/run-controller.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { isTerminating, nameOf, namespaceOf } from "./object-parts.ts";
import type { PlaygroundClient } from "./playground-client.ts";

/** The dependencies of every controller. */
export interface ControllerContext {
  readonly client: PlaygroundClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** Keys (`namespace/name`) of the controller's own resource that a change of another resource affects. */
export type KeysOfChange = KeysOf<ObjectChange>;

/** A controller of one resource of a playground cluster. Each object is a key. */
export type PlaygroundController = ResourceController<ObjectChange>;

/** Combines controllers into one, so that a cluster has one queue and one timer for all of them. */
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
    // A terminating namespace accepts no new objects, and deletes its own, so a retry is pointless.
    isMoot: (reason, { namespace }) =>
      isRefusal(reason, "Forbidden") && isTerminating(objects.get("namespaces", "", namespace) ?? {}),
  });
}

/** The outcome with the earliest retry. */
export function soonest(...outcomes: readonly Outcome[]): Outcome {
  const delays = outcomes.flatMap(({ retryAfterMs }) => (retryAfterMs === undefined ? [] : [retryAfterMs]));
  return delays.length === 0 ? {} : { retryAfterMs: Math.max(0, Math.min(...delays)) };
}
