// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { deploymentKind } from "./deployment-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";
import { sampleDeployment } from "./testing/sample-workloads.ts";

const done = { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" };
const rolling = { type: "Progressing", status: "True", reason: "ReplicaSetUpdated" };
const late = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "has timed out" };
const noQuota = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "exceeded quota" };

interface Counts {
  readonly wanted?: number;
  readonly running?: number;
  readonly updated?: number;
  readonly ready?: number;
  readonly available?: number;
  readonly paused?: boolean;
  readonly conditions?: readonly object[];
}

function deployment({
  wanted = 3,
  running = 3,
  updated = 3,
  available = 3,
  ready = available,
  paused,
  conditions = [done],
}: Counts): object {
  return {
    metadata: { name: "web", namespace: "shop", generation: 2 },
    spec: { replicas: wanted, paused },
    status: {
      observedGeneration: 2,
      replicas: running,
      updatedReplicas: updated,
      readyReplicas: ready,
      availableReplicas: available,
      conditions,
    },
  };
}

describe("a Deployment's row", () => {
  test("[KI8] has counts, images and selector, the last two sorted", () => {
    const row = rowOf(deploymentKind, sampleDeployment("x"));
    const images = ["log", "migrate", "proxy", "web"].map((name) => `registry.example/shop/${name}:1.4.2`);
    expect(Object.fromEntries(row.columns)).toEqual({
      replicas: 3,
      updated: 3,
      ready: 3,
      available: 3,
      strategy: "RollingUpdate",
      containers: ["web", "log"],
      containerImages: ["registry.example/shop/web:1.4.2", "registry.example/shop/log:1.4.2"],
      images,
      selector: ["!old", "app=web", "tier in (back,front)"],
    });
    expect([row.status, row.annotations.get("deployment.kubernetes.io/revision")]).toEqual(["healthy", "4"]);
  });

  test("[KI31] has the images in the order of the containers only where that is not the set of images", () => {
    const containerImages = (...images: readonly string[]): unknown => {
      const containers = images.map((image, at) => ({ name: `c${at}`, image }));
      return rowOf(deploymentKind, {
        metadata: { name: "web" },
        spec: { template: { spec: { containers } } },
      }).columns.get("containerImages");
    };
    expect([containerImages("a"), containerImages("a", "b")]).toEqual([undefined, undefined]);
    expect([containerImages("b", "a"), containerImages("a", "a")]).toEqual([
      ["b", "a"],
      ["a", "a"],
    ]);
  });
});

describe("a Deployment's status", () => {
  test.each<readonly [string, Counts, string, string]>([
    ["complete", {}, "healthy", ""],
    ["waiting for new replicas", { updated: 1, conditions: [rolling] }, "progressing", "RollingOut"],
    ["waiting for old replicas to end", { running: 4, conditions: [rolling] }, "progressing", "RollingOut"],
    ["waiting for availability", { available: 0, conditions: [rolling] }, "progressing", "RollingOut"],
    ["too late", { available: 2, conditions: [late] }, "unhealthy", "ProgressDeadlineExceeded"],
    ["rolled out with one lost", { available: 2 }, "degraded", "SomeUnavailable"],
    ["rolled out and new Pods within minReadySeconds", { ready: 3, available: 2 }, "progressing", "MinReadySeconds"],
    ["rolled out with all lost", { available: 0 }, "unhealthy", "NoneAvailable"],
    ["rolled out without a deadline, one lost", { available: 2, conditions: [] }, "degraded", "SomeUnavailable"],
    [
      "refused Pods, some running",
      { running: 1, available: 1, conditions: [rolling, noQuota] },
      "degraded",
      "FailedCreate",
    ],
    ["refused all Pods", { running: 0, updated: 0, available: 0, conditions: [noQuota] }, "unhealthy", "FailedCreate"],
  ])("%s", (_, counts, status, reason) => {
    const row = rowOf(deploymentKind, deployment(counts));
    expect([row.status, row.reason]).toEqual([status, reason]);
  });

  test.each<readonly [string, Counts, string, string]>([
    ["scaled to zero", { wanted: 0, running: 0, updated: 0, available: 0 }, "suspended", "ScaledToZero"],
    ["on the way to zero", { wanted: 0, running: 2, updated: 2, available: 2 }, "progressing", "ScalingDown"],
    ["paused in a rollout", { paused: true, updated: 1 }, "suspended", "Paused"],
    ["paused after its rollout", { paused: true }, "healthy", ""],
    ["paused after its rollout, one lost", { paused: true, available: 2 }, "degraded", "SomeUnavailable"],
  ])("[KI12] %s", (_, counts, status, reason) => {
    const row = rowOf(deploymentKind, deployment(counts));
    expect([row.status, row.reason]).toEqual([status, reason]);
  });

  test("just created is progressing until its controller has looked at it", () => {
    const metadata = { name: "web", generation: 1 };
    expect(rowOf(deploymentKind, { metadata, spec: { replicas: 1 } }).status).toBe("progressing");
    expect(rowOf(deploymentKind, { metadata, spec: { replicas: 0 }, status: {} }).status).toBe("progressing");
  });

  test("tells how far a rollout is", () => {
    const row = rowOf(deploymentKind, deployment({ updated: 1, conditions: [rolling] }));
    expect(row.message).toBe("1 of 3 replicas are updated");
  });
});
