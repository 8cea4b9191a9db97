// SPDX-License-Identifier: Apache-2.0
import { textOf } from "./object-parts.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";

/** How long Kubernetes keeps events by default. */
const keptMs = 3_600_000;

/**
 * Takes events away an hour after they were last written, whatever times their content names. The hour begins again when the cluster starts, as the leases of the
 * real store do.
 */
export function createEventExpiry({ client, clock }: ControllerContext): PlaygroundController {
  /** When an event was first seen at its resourceVersion: one entry for each event that exists. */
  const written = new Map<string, { readonly resourceVersion: string; readonly atMs: number }>();
  return {
    name: "event-expiry",
    resource: "events",
    async reconcile({ namespace, name }) {
      const key = `${namespace}/${name}`;
      const event = client.objects.get("events", namespace, name);
      if (event === undefined) {
        written.delete(key);
        return {};
      }
      const resourceVersion = textOf(event, "metadata", "resourceVersion");
      const known = written.get(key);
      const nowMs = clock.nowMs();
      const atMs = known?.resourceVersion === resourceVersion ? known.atMs : nowMs;
      written.set(key, { resourceVersion, atMs });
      const leftMs = atMs + keptMs - nowMs;
      if (leftMs > 0) return { retryAfterMs: leftMs };
      await client.delete({ resource: "events", namespace, name }, { resourceVersion });
      return {};
    },
  };
}
