// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { statefulSetKind } from "../../kinds/stateful-set.ts";
import { CollectorRig } from "./testing/collector-rig.ts";

const statefulSets = { group: "apps", version: "v1", resource: "statefulsets" };

describe("a StatefulSet without a ready Pod", () => {
  const set = (generation: number, readyReplicas = 0) => ({
    metadata: { name: "db", namespace: "shop", generation },
    spec: { replicas: 1 },
    status: { observedGeneration: generation, replicas: 1, updatedReplicas: 1, readyReplicas },
  });
  const statusIn = (rig: CollectorRig): unknown => rig.rowsOf(statefulSetKind).map(({ status }) => status);

  test("[KI20] is progressing from when it came, for ten minutes, and again after a change of its spec", async () => {
    await using rig = new CollectorRig({ kinds: [statefulSetKind] });
    await rig.clock.advance(1_000);
    rig.server.put(statefulSets, set(1));
    await rig.clock.advance(1_000);
    expect(statusIn(rig)).toEqual(["progressing"]);
    await rig.clock.advance(600_000);
    expect(statusIn(rig)).toEqual(["unhealthy"]);
    rig.server.put(statefulSets, set(2));
    await rig.clock.advance(1_000);
    expect(statusIn(rig)).toEqual(["progressing"]);
    rig.server.put(statefulSets, set(2, 1));
    await rig.clock.advance(700_000);
    expect(statusIn(rig)).toEqual(["healthy"]);
    rig.server.put(statefulSets, set(2, 0));
    await rig.clock.advance(1_000);
    expect(statusIn(rig)).toEqual(["unhealthy"]);
  });

  test("[KI20] [L5] is unhealthy at once where an agent that starts finds it so", async () => {
    await using rig = new CollectorRig({ kinds: [statefulSetKind] });
    rig.server.put(statefulSets, set(1));
    await rig.clock.advance(1_000);
    expect(statusIn(rig)).toEqual(["unhealthy"]);
  });
});
