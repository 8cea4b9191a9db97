// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type FakeFleet, fakeFleetCall } from "../testing/fake-fleet.ts";
import { showClusterState } from "./cluster-state.ts";

const states: FakeFleet["states"] = {
  async *getClusterState({ clusterId }) {
    yield {
      state: {
        clusterId,
        connection: { state: "live", seenMsAgo: 400n },
        collectedMsAgo: 900n,
        coverage: [{ resource: "pods", kind: "Pod", state: "watching" }],
        pods: [{ namespace: "shop", name: "web-2", phase: "Running" }],
      },
    };
    yield { state: { pods: [{ namespace: "shop", name: "web-1", phase: "Pending" }] } };
    yield { state: { services: [{ namespace: "shop", name: "web" }], readings: [{ resource: "pods" }] }, isLast: true };
  },
};

test("[N-8][CL10] the parts of a state are printed as one JSON document, its lists in the order of their keys", async () => {
  const { call, stdout } = fakeFleetCall({ states });
  await showClusterState(call, "east");
  expect(JSON.parse(stdout())).toMatchObject({
    clusterId: "east",
    connection: { state: "live", seenMsAgo: 400, isFlapping: false },
    collectedMsAgo: 900,
    coverage: [{ resource: "pods", state: "watching" }],
    services: [{ namespace: "shop", name: "web" }],
    pods: [
      { namespace: "shop", name: "web-1", phase: "Pending", restarts: 0, containers: [] },
      { namespace: "shop", name: "web-2", phase: "Running" },
    ],
    virtualServices: [],
    istioControlPlaneConfigs: [],
  });
});

test("[CL13] the document is YAML of the same value where that is asked for", async () => {
  const [plain, yaml] = [fakeFleetCall({ states }), fakeFleetCall({ states }, "yaml")];
  await showClusterState(plain.call, "east");
  await showClusterState(yaml.call, "east");
  expect(yaml.stdout()).toContain("\nvirtualServices: []\n");
  expect(parse(yaml.stdout())).toEqual(JSON.parse(plain.stdout()));
});

test("a state that ends early is an error, and nothing of it is printed", async () => {
  const { call, stdout } = fakeFleetCall({
    states: {
      async *getClusterState() {
        yield { state: { clusterId: "east" } };
      },
    },
  });
  await expect(showClusterState(call, "east")).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: "the hub ended the stream before the whole state was sent; retry",
  });
  expect(stdout()).toBe("");
});

test("stopping ends without an error", async () => {
  const { call, stdout, stop } = fakeFleetCall({
    states: {
      async *getClusterState() {
        yield { state: { clusterId: "east" } };
        stop.abort();
        yield { isLast: true };
      },
    },
  });
  await showClusterState(call, "east");
  expect(stdout()).toBe("");
});
