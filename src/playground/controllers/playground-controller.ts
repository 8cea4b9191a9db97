// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import type { Controller } from "../../apiserver/controllers/run-controller.ts";
import type { ObjectChange, ObjectReader } from "../../apiserver/resources/object-reader.ts";
import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import type { Outcome } from "../../base/keyed-queue.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { isTerminating, nameOf, namespaceOf, type ObjectName } from "./object-parts.ts";
import type { PlaygroundClient } from "./playground-client.ts";

/** What every controller here works with. */
export interface ControllerContext {
  readonly client: PlaygroundClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** Keys (`namespace/name`) of the controller's own resource that a change of another resource concerns. */
export type KeysOfChange = (change: ObjectChange) => Iterable<string | undefined>;

/** A controller of one resource: each of its objects is a key. */
export interface PlaygroundController {
  /** Part of the keys, so unlike every other's. */
  readonly name: string;
  readonly resource: string;
  /** Other resources whose changes concern it. */
  readonly watches?: Readonly<Record<string, KeysOfChange>>;
  readonly reconcile: (name: ObjectName, signal: AbortSignal) => Promise<Outcome>;
}

/** All of them as one, so that a cluster has one queue and one timer however many controllers it has. */
export function combineControllers(
  objects: ObjectReader,
  name: string,
  controllers: readonly PlaygroundController[],
): Controller {
  const byName = new Map(controllers.map((each) => [each.name, each]));
  assert(byName.size === controllers.length, "two controllers have the same name");
  const listeners = new Map<string, { readonly controller: string; readonly keysOf: KeysOfChange }[]>();
  for (const controller of controllers) {
    const watches: Readonly<Record<string, KeysOfChange>> = { ...controller.watches, [controller.resource]: ownKey };
    for (const [resource, keysOf] of Object.entries(watches)) {
      const listed = listeners.get(resource) ?? [];
      listed.push({ controller: controller.name, keysOf });
      listeners.set(resource, listed);
    }
  }
  return {
    name,
    *keys() {
      for (const controller of controllers)
        for (const object of objects.list(controller.resource))
          yield `${controller.name}:${namespaceOf(object)}/${nameOf(object)}`;
    },
    *keysOf(change) {
      for (const { controller, keysOf } of listeners.get(change.resource) ?? [])
        for (const key of keysOf(change)) if (key !== undefined) yield `${controller}:${key}`;
    },
    async reconcile(key, signal) {
      const colon = key.indexOf(":");
      const slash = key.indexOf("/", colon);
      const controller = byName.get(key.slice(0, colon));
      assert(controller !== undefined && slash > colon, "a key of no controller");
      const namespace = key.slice(colon + 1, slash);
      try {
        return await controller.reconcile({ namespace, name: key.slice(slash + 1) }, signal);
      } catch (reason) {
        // Nothing can be made in a namespace that is going; its objects go with it, so there is nothing to try again for.
        if (isRefusal(reason, "Forbidden") && isTerminating(objects.get("namespaces", "", namespace) ?? {})) return {};
        throw reason;
      }
    },
  };
}

function ownKey({ namespace, name }: ObjectChange): readonly string[] {
  return [`${namespace}/${name}`];
}

/** The sooner of two outcomes. */
export function soonest(...outcomes: readonly Outcome[]): Outcome {
  const delays = outcomes.flatMap(({ retryAfterMs }) => (retryAfterMs === undefined ? [] : [retryAfterMs]));
  return delays.length === 0 ? {} : { retryAfterMs: Math.max(0, Math.min(...delays)) };
}
