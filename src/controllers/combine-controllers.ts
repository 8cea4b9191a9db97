// SPDX-License-Identifier: Apache-2.0
import { assert } from "../base/assert.ts";
import type { Outcome } from "../base/queues/keyed-queue.ts";
import type { Controller } from "./run-controller.ts";

/** The name of an object within its resource. The namespace is empty for cluster-wide resources. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** The object that a change concerns, and its resource. */
export interface ResourceChange extends ObjectName {
  readonly resource: string;
}

/** Keys (`namespace/name`) of the controller's own resource that a change of another resource affects. */
export type KeysOf<Change> = (change: Change) => Iterable<string | undefined>;

/** A controller of one resource. Each object is a key. */
export interface ResourceController<Change extends ResourceChange> {
  /** Part of the keys: unique among the combined controllers, and without a colon. */
  readonly name: string;
  readonly resource: string;
  /** Other resources whose changes trigger it. */
  readonly watches?: Readonly<Record<string, KeysOf<Change>>>;
  readonly reconcile: (name: ObjectName, signal: AbortSignal) => Promise<Outcome>;
}

export interface CombineOptions {
  /** For logs. */
  readonly name: string;
  /** The existing objects of a resource; they are reconciled at the start. */
  readonly namesOf: (resource: string) => Iterable<ObjectName>;
  /** True for a failure that is not worth a retry. Default: none. */
  readonly isMoot?: (reason: unknown, name: ObjectName) => boolean;
}

/** Combines controllers into one, so that a cluster has one queue and one timer for all of them. */
export function combineControllers<Change extends ResourceChange>(
  controllers: readonly ResourceController<Change>[],
  { name, namesOf, isMoot = () => false }: CombineOptions,
): Controller<Change> {
  const byName = new Map(controllers.map((each) => [each.name, each]));
  assert(byName.size === controllers.length, "two controllers have the same name");
  const listeners = listenersOf(controllers);
  return {
    name,
    *keys() {
      for (const controller of controllers)
        for (const object of namesOf(controller.resource)) yield `${controller.name}:${keyOf(object)}`;
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
      const object = { namespace: key.slice(colon + 1, slash), name: key.slice(slash + 1) };
      try {
        return await controller.reconcile(object, signal);
      } catch (reason) {
        if (isMoot(reason, object)) return {};
        throw reason;
      }
    },
  };
}

interface Listener<Change> {
  readonly controller: string;
  readonly keysOf: KeysOf<Change>;
}

/** By resource: the controllers that its changes trigger. */
function listenersOf<Change extends ResourceChange>(
  controllers: readonly ResourceController<Change>[],
): ReadonlyMap<string, readonly Listener<Change>[]> {
  const listeners = new Map<string, Listener<Change>[]>();
  for (const { name, resource, watches } of controllers) {
    const all: Readonly<Record<string, KeysOf<Change>>> = {
      ...watches,
      [resource]: (change) => [keyOf(change)],
    };
    for (const [watched, keysOf] of Object.entries(all)) {
      const listed = listeners.get(watched) ?? [];
      listed.push({ controller: name, keysOf });
      listeners.set(watched, listed);
    }
  }
  return listeners;
}

function keyOf({ namespace, name }: ObjectName): string {
  return `${namespace}/${name}`;
}
