// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { statefulSetKind } from "../../kinds/stateful-set-kind.ts";
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

  test("[KI20] [L20] made just before the agent started it is progressing until ten minutes after its creation, by the server's clock", async () => {
    // The server's clock is years from the agent's.
    const serverMs = Date.parse("2031-05-01T00:00:00Z");
    let rig: CollectorRig | undefined;
    const serverWallMs = (): number => serverMs + (rig?.clock.nowMs() ?? 0);
    const created = (name: string, agoMs: number) => ({
      ...set(1),
      metadata: { ...set(1).metadata, name, creationTimestamp: new Date(serverMs - agoMs).toISOString() },
    });
    await using opened = new CollectorRig({ kinds: [statefulSetKind], serverWallMs });
    rig = opened;
    for (const [name, agoMs] of [
      ["future", -3_600_000],
      ["new", 60_000],
      ["old", 3_600_000],
    ] as const)
      opened.server.put(statefulSets, created(name, agoMs));
    await opened.clock.advance(1_000);
    const statuses = (): unknown =>
      Object.fromEntries(opened.rowsOf(statefulSetKind).map((row) => [row.name, row.status]));
    expect(statuses()).toEqual({ future: "unhealthy", new: "progressing", old: "unhealthy" });
    await opened.clock.advance(530_000);
    expect(statuses()).toMatchObject({ new: "progressing" });
    await opened.clock.advance(10_000);
    expect(statuses()).toMatchObject({ new: "unhealthy" });
  });
});
