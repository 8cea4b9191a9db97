// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GrantsJudgement } from "../../index/access/judge-grants.ts";
import { PageRig } from "../page/testing/page-rig.ts";
import { type CoveredRead, describeCoverage } from "./coverage.ts";

let rig: PageRig;
const judgements = new Map<string, GrantsJudgement>();

beforeEach(async () => {
  rig = await PageRig.start();
  judgements.clear();
});

afterEach(async () => {
  await rig.stop();
});

function coverage(clusters: readonly string[], given: Partial<CoveredRead> = {}, isLoaded = true) {
  const { fleet, health } = rig.hub;
  const restore = { has: () => isLoaded } as unknown as typeof fleet.restore;
  const parts = {
    fleet: { ...fleet, restore },
    health,
    clock: rig.clock,
    grants: { of: (id: string) => judgements.get(id) ?? ({ kind: "open" } as const) },
  };
  return describeCoverage(parts, { clusters, resources: undefined, isFull: false, ...given });
}

test("[QL14] [L10] an answer names the clusters that were not read or are not current, with the reason and their age", async () => {
  for (const name of ["a", "b", "c"]) await rig.arrive(name);
  expect(coverage(["a", "b", "c"])).toMatchObject({ isComplete: true, sentence: "3 of 3 clusters", clusters: [] });
  await rig.lose("b");
  await rig.advance(30_000, ["a", "c"]);
  judgements.set("c", { kind: "withheld", reason: "The grants are too old.", cause: "grantsBehind" });
  const found = coverage(["a", "b", "c"]);
  expect(found).toMatchObject({
    isComplete: false,
    clusterCount: 3,
    readCount: 2,
    staleCount: 1,
    sentence: "2 of 3 clusters, 1 stale",
    clusters: [
      { cluster: "b", isRead: true, state: "disconnected" },
      { cluster: "c", isRead: false, reason: "The grants are too old." },
    ],
  });
  expect(found.clusters[0]?.reason).not.toBe("");
  expect(Number(found.clusters[0]?.asOfMsAgo)).toBeGreaterThanOrEqual(30_000);
  expect(coverage(["a"], { isFull: true }).clusters).toMatchObject([{ cluster: "a", isRead: true, reason: "" }]);
});

test("[QL14] [Q-43] RBAC kinds that are not current count for every query, other kinds for queries of them", async () => {
  await rig.arrive("a");
  const { clock, hub } = rig;
  const { fleet, health } = hub;
  const old = { state: "failed", isCurrent: false, ageMs: 20_000, text: "forbidden" } as const;
  const kinds = [
    { ...old, resource: "pods" },
    { ...old, resource: "rbac.authorization.k8s.io/rolebindings" },
  ];
  const parts = {
    fleet,
    clock,
    health: { get: health.get.bind(health), kinds: () => kinds } as unknown as typeof health,
    grants: { of: () => ({ kind: "open" }) as const },
  };
  const oldOf = (resource: string): readonly (readonly [string, bigint | undefined])[] => {
    const read = { clusters: ["a"], resources: new Set([resource]), isFull: false };
    const [cluster] = describeCoverage(parts, read).clusters;
    return (cluster?.kinds ?? []).map((kind) => [kind.resource, kind.asOfMsAgo] as const);
  };
  const grants = ["rbac.authorization.k8s.io/rolebindings", 20_000n] as const;
  expect(oldOf("configmaps")).toEqual([grants]);
  expect(oldOf("pods")).toEqual([["pods", 20_000n], grants]);
});

test("[Q-19] while rows are loaded after a start, the answer has the progress", async () => {
  await rig.arrive("a");
  const found = coverage(["a"], {}, false);
  expect(found).toMatchObject({ sentence: "Rebuilding indices...0/1 clusters queried", isComplete: false });
  expect(found.clusters[0]?.isRead).toBe(false);
});
