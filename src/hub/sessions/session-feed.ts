// SPDX-License-Identifier: Apache-2.0
import { passingGuard, type TaskGuard } from "../../base/task-guard.ts";
import type { FleetSessionEvent, SessionHandlers } from "./session-events.ts";

/** One handler, and the name under which its failures are counted. */
interface Subscriber {
  readonly task: string;
  readonly handle: (event: FleetSessionEvent) => void;
}

const noSubscribers: readonly Subscriber[] = [];

/** Carries the events of the hub's sessions to their subscribers, synchronously and in the order of subscription. */
export class SessionFeed {
  readonly #guard: TaskGuard;
  readonly #byKind = new Map<string, Subscriber[]>();

  /** A failing handler affects neither the others nor the session. Without a guard its error reaches the publisher. */
  constructor(guard: TaskGuard = passingGuard) {
    this.#guard = guard;
  }

  subscribe(handlers: SessionHandlers): void {
    for (const [kind, handle] of Object.entries(handlers)) {
      // TypeScript cannot relate the handler's parameter to its key.
      const subscriber = { task: `observer ${kind}`, handle: handle as Subscriber["handle"] };
      this.#byKind.set(kind, [...(this.#byKind.get(kind) ?? noSubscribers), subscriber]);
    }
  }

  publish(event: FleetSessionEvent): void {
    for (const { task, handle } of this.#byKind.get(event.kind) ?? noSubscribers)
      this.#guard.run(task, () => handle(event), { cluster: clusterOf(event) });
  }
}

function clusterOf(event: FleetSessionEvent): string {
  if ("session" in event) return event.session.cluster;
  return event.kind === "rejected" ? event.attempt.cluster : event.cluster;
}
