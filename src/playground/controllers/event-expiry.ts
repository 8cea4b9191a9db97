// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../../apiserver/json/json-fields.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";

/** How long Kubernetes keeps events by default. */
const keptMs = 3_600_000;

/**
 * Deletes events one hour after they were last written, whatever their own timestamps. The hour starts again when the
 * cluster starts, as leases in etcd do.
 */
export function createEventExpiry({ client, clock }: ControllerContext): PlaygroundController {
  /** When each existing event was first seen at its resourceVersion. */
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
