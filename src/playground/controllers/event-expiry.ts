// SPDX-License-Identifier: Apache-2.0
import { timeAt, uidOf } from "./object-parts.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";

/** How long Kubernetes keeps events by default. */
const keptMs = 3_600_000;

/** Takes away events an hour after they were last seen, as the lease of the real store does. */
export function createEventExpiry({ client, clock }: ControllerContext): PlaygroundController {
  return {
    name: "event-expiry",
    resource: "events",
    async reconcile({ namespace, name }) {
      const event = client.objects.get("events", namespace, name);
      if (event === undefined) return {};
      const seenAtMs =
        timeAt(event, "series", "lastObservedTime") ??
        timeAt(event, "lastTimestamp") ??
        timeAt(event, "eventTime") ??
        timeAt(event, "metadata", "creationTimestamp") ??
        0;
      const leftMs = seenAtMs + keptMs - clock.wallMs();
      if (leftMs > 0) return { retryAfterMs: leftMs };
      await client.delete({ resource: "events", namespace, name }, { uid: uidOf(event) });
      return {};
    },
  };
}
