// SPDX-License-Identifier: Apache-2.0
import { create, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ClusterStateSchema } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { KindCoverageSchema } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { serviceKind } from "../../kinds/service-kind.ts";
import { kindLists } from "./kind-lists.ts";
import { expectedLists } from "./testing/expected-state.ts";
import { chunksOf, everything, stateOf } from "./testing/join.ts";
import { metadata, preparedRows, rowOf } from "./testing/prepared-cluster.ts";

test.each([
  ["[N-9] a Service with two named ports and a selector", "services"],
  ["[N-10] a slice with one ready and one not-ready endpoint", "endpointSlices"],
  ["[N-11] a Pod with its labels and phase", "pods"],
  ["[N-12] a VirtualService with a 90/10 split", "virtualServices"],
  ["[N-13] a DestinationRule that sets all five parts", "destinationRules"],
  ["[N-14] one Gateway of each direction", "gateways"],
  ["[N-15] a ServiceEntry of an external host", "serviceEntries"],
  ["[N-16] a Sidecar that limits egress to two hosts", "sidecars"],
  ["[N-17] an EnvoyFilter with two patches, and one with targetRefs", "envoyFilters"],
  ["[N-18] [N-62] a STRICT PeerAuthentication with one PERMISSIVE port, and a mesh-wide one", "peerAuthentications"],
  ["[N-19] a RequestAuthentication without its inline key set", "requestAuthentications"],
  ["an AuthorizationPolicy without its rules", "authorizationPolicies"],
  ["[N-20] a WasmPlugin in phase AUTHN", "wasmPlugins"],
  ["a Telemetry", "telemetries"],
  ["[N-21] an istiod with its settings", "istioControlPlaneConfigs"],
])("%s reads back equal", async (_what, list) => {
  const state = toJson(ClusterStateSchema, await stateOf({ rows: preparedRows() }));
  expect(state).toHaveProperty(list, expectedLists[list]);
});

test("[N-8] the state of a prepared cluster equals the expected one, with one list per kind", async () => {
  const kinds = [
    create(KindCoverageSchema, { resource: "pods", kind: "Pod", state: "watching", currentMsAgo: 900n }),
    create(KindCoverageSchema, { resource: "services", kind: "Service", state: "watching", currentMsAgo: 1_200n }),
    create(KindCoverageSchema, { resource: "nodes", kind: "Node", state: "watching", currentMsAgo: 90_000n }),
  ];
  const connection = { state: "live", seenMsAgo: 400n };
  const state = await stateOf({ connection, kinds, rows: preparedRows() });
  const { coverage, readings, ...rest } = Object.fromEntries(Object.entries(toJson(ClusterStateSchema, state) ?? {}));
  expect(rest).toEqual({
    clusterId: "east",
    connection: { state: "live", seenMsAgo: "400" },
    collectedMsAgo: "1200",
    ...expectedLists,
  });
  expect(coverage).toEqual(
    Array.from(kindLists.values(), ({ resource, kind }) => {
      if (resource === "pods") return { resource, kind, state: "watching", currentMsAgo: "900" };
      if (resource === "services") return { resource, kind, state: "watching", currentMsAgo: "1200" };
      return { resource, kind, state: "unknown" };
    }),
  );
  expect(readings).toHaveLength(kindLists.size);
  expect(state.readings.filter(({ unreadableCount, cutCount }) => unreadableCount + cutCount > 0n)).toEqual([]);
});

test("[L18] nothing that must stay in the cluster is in the state", async () => {
  const state = toJson(ClusterStateSchema, await stateOf({ rows: preparedRows() }));
  expect(JSON.stringify(state)).not.toContain("secret");
});

test("a list was never complete: the state has no age", async () => {
  expect((await stateOf({})).collectedMsAgo).toBeUndefined();
});

test("kinds that were not asked for, or that have no list, are passed over", async () => {
  const rows = [
    { resource: "nodes", row: rowOf(podKind, { metadata: metadata("n1") }).row },
    rowOf(podKind, { metadata: metadata("p1") }),
    rowOf(serviceKind, { metadata: metadata("s1") }),
  ];
  const state = await stateOf({ rows }, { resources: new Set(["pods"]) });
  expect(state.pods.map(({ name }) => name)).toEqual(["p1"]);
  expect(state.services).toEqual([]);
  expect(state.coverage.map(({ resource }) => resource)).toEqual(["pods"]);
  expect(state.readings).toMatchObject([{ resource: "pods", objectCount: 1n }]);
});

test("[L10] what a row lost to its bounds is named and counted", async () => {
  const endpoints = Array.from({ length: 3_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
  const cut = rowOf(serviceKind, { metadata: metadata("wide"), spec: { externalIPs: endpoints } });
  const state = await stateOf({ rows: [cut, rowOf(serviceKind, { metadata: metadata("narrow") })] });
  const [wide, narrow] = state.services;
  expect(wide?.object?.cut).toEqual(["addresses"]);
  expect(wide?.addresses[0]).toBe("10.0.0.0");
  expect(narrow?.object?.cut).toEqual([]);
  expect(state.readings.find(({ resource }) => resource === "services")).toMatchObject({
    objectCount: 2n,
    cutCount: 1n,
    unreadableCount: 0n,
  });
});

test("[L14] a row that cannot be read keeps the rest, and is counted with a sentence", async () => {
  const { resource, row } = rowOf(podKind, { metadata: metadata("old"), status: { phase: "Running" } });
  const columns = new Map([
    ...row.columns,
    ["containers", ['{"name":"web","restarts":"many"}', "no json", '"text"', '{"name":"log"}']] as const,
    ["node", 7] as const,
  ]);
  const broken = { resource, row: { ...row, columns } };
  const state = await stateOf({ rows: [broken, rowOf(podKind, { metadata: metadata("good") })] });
  expect(state.pods).toMatchObject([
    { name: "old", phase: "Running", node: "", containers: [{ name: "web", restarts: 0 }, { name: "log" }] },
    { name: "good" },
  ]);
  expect(state.readings.find((each) => each.resource === resource)).toMatchObject({
    objectCount: 2n,
    unreadableCount: 1n,
    unreadableError: 'the row of pods "shop/old" has a value that cannot be read: node',
  });
});

test("[L13] a row that no chunk can hold is told by its metadata, and counted", async () => {
  const { resource, row } = rowOf(serviceKind, { metadata: metadata("huge"), spec: { type: "NodePort" } });
  const columns = new Map([...row.columns, ["addresses", ["x".repeat(9_000)]] as const]);
  const chunks = await chunksOf({ rows: [{ resource, row: { ...row, columns } }] }, { maxChunkBytes: 4_000 });
  const services = chunks.flatMap(({ state }) => state?.services ?? []);
  expect(services).toMatchObject([{ name: "huge", object: { uid: "u-huge" }, type: "", addresses: [] }]);
  const reading = chunks.flatMap(({ state }) => state?.readings ?? []).find((each) => each.resource === resource);
  expect(reading?.unreadableError).toBe(
    'the row of services "shop/huge" is larger than a message may be; only its metadata is included',
  );
});

test("a reader that is gone ends the reading of rows, without a last chunk", async () => {
  const stop = new AbortController();
  let read = 0;
  function* rows() {
    for (;;) {
      read += 1;
      if (read === 10) stop.abort();
      yield rowOf(podKind, { metadata: metadata(`p${read}`) });
    }
  }
  const chunks = await chunksOf({ rows: rows() }, { ...everything, signal: stop.signal });
  expect(read).toBe(10);
  expect(chunks.filter(({ isLast }) => isLast)).toEqual([]);
});
