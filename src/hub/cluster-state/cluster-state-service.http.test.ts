// SPDX-License-Identifier: Apache-2.0
import { toBinary, toJson } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ClusterStateSchema,
  ClusterStateService,
  type GetClusterStateRequest,
  type GetClusterStateResponse,
  GetClusterStateResponseSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { defaultMaxMessageBytes } from "../../rpc/server/connect-router.ts";
import { openTestHub, type TestHub } from "../../rpc/testing/test-hub.ts";
import { type ClusterStateOptions, createClusterStateService } from "./cluster-state-service.ts";
import { kindLists } from "./kind-lists.ts";
import { expectedLists } from "./testing/expected-state.ts";
import { joinBytes } from "./testing/join.ts";
import { metadata, preparedRows, rowOf } from "./testing/prepared-cluster.ts";
import type { ClusterRow, LoadedCluster } from "./to-cluster-state.ts";

/** So many Pods with so large a label that their state is more than one message could hold. */
const largeCount = 1_000;

function* largeRows(): Generator<ClusterRow> {
  const labels = { note: "x".repeat(4_000) };
  for (let index = 0; index < largeCount; index += 1)
    yield rowOf(podKind, { metadata: metadata(`pod-${index}`, { labels }) });
}

const asked: (ClusterStateOptions & { readonly clusterId: string })[] = [];

async function load(clusterId: string, options: ClusterStateOptions): Promise<LoadedCluster | undefined> {
  asked.push({ clusterId, ...options });
  const connection = { state: "live", seenMsAgo: 400n };
  if (clusterId === "east") return { connection, kinds: [], rows: preparedRows() };
  return clusterId === "large" ? { connection, kinds: [], rows: largeRows() } : undefined;
}

let hub: TestHub;

beforeAll(async () => {
  hub = await openTestHub({ services: [createClusterStateService({ load })] });
});

afterAll(async () => {
  await hub[Symbol.asyncDispose]();
});

function get(
  request: Partial<Pick<GetClusterStateRequest, "clusterId" | "resources">>,
  token = "root",
): Promise<GetClusterStateResponse[]> {
  return Array.fromAsync(createClient(ClusterStateService, hub.transport(token)).getClusterState(request));
}

test("[N-8] the reply for a prepared cluster equals the expected one", async () => {
  const chunks = await get({ clusterId: "east" });
  expect(toJson(ClusterStateSchema, joinBytes(chunks))).toMatchObject({
    clusterId: "east",
    connection: { state: "live", seenMsAgo: "400" },
    ...expectedLists,
  });
  expect(chunks.at(-1)?.isLast).toBe(true);
  expect(asked.at(-1)?.resources).toEqual(new Set(kindLists.keys()));
});

test("[N-8] a state larger than a message comes in parts, whole", async () => {
  const chunks = await get({ clusterId: "large" });
  const sizes = chunks.map((chunk) => toBinary(GetClusterStateResponseSchema, chunk).byteLength);
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(defaultMaxMessageBytes);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(defaultMaxMessageBytes / 16);
  const { pods } = joinBytes(chunks);
  expect(new Set(pods.map(({ name }) => name)).size).toBe(largeCount);
});

test("[N-8] some kinds alone can be asked for", async () => {
  const state = joinBytes(await get({ clusterId: "east", resources: ["pods", "networking.istio.io/gateways"] }));
  expect(asked.at(-1)?.resources).toEqual(new Set(["pods", "networking.istio.io/gateways"]));
  expect([state.pods.length, state.gateways.length, state.services.length]).toEqual([1, 2, 0]);
  expect(state.coverage.map(({ resource }) => resource)).toEqual(["pods", "networking.istio.io/gateways"]);
});

test("an unknown cluster is NOT_FOUND with what to do, and an unknown kind names those there are", async () => {
  await expect(get({ clusterId: "west" })).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: 'there is no cluster "west"; `flotilla cluster list` shows the registered ones',
  });
  const before = asked.length;
  const refusal = get({ clusterId: "east", resources: ["pods", "secrets"] });
  await expect(refusal).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(refusal).rejects.toThrow(/^a cluster's state has no list of "secrets"; it has services, /);
  expect(asked).toHaveLength(before);
});

test("[L16] who may not get rows of the cluster gets nothing, and nothing is loaded", async () => {
  const before = asked.length;
  await expect(get({ clusterId: "east" }, "nobody")).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  expect(asked).toHaveLength(before);
});
