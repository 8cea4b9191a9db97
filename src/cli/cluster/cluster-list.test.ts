// SPDX-License-Identifier: Apache-2.0
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { fakeCluster, fakeFleetCall } from "../testing/fake-fleet.ts";
import { testNowMs } from "../testing/recorded-io.ts";
import { getCluster, listClusters } from "./cluster-list.ts";

const lostConnection = {
  state: "disconnected",
  sinceMsAgo: 95_000n,
  seenMsAgo: 96_000n,
  reason: "agentLost",
  message: "the agent went away without a word",
  attemptCount: 4,
  nextAttemptInMs: 12_000n,
};

const lost = fakeCluster({ id: "west", region: "", environment: "", connection: lostConnection });

describe("cluster list", () => {
  test("shows state, since when, how old what is known is, and why", async () => {
    const { call, stdout } = fakeFleetCall({ clusters: { listClusters: () => ({ clusters: [fakeCluster(), lost] }) } });
    await listClusters(call, "");
    expect(stdout()).toBe(
      [
        "ID    STATE         SINCE  SEEN     REGION  ENVIRONMENT  KUBERNETES  ROWS  UNHEALTHY  WHY",
        "east  live          5m     0s ago   eu-1    production   v1.36.3     1200  -",
        "west  disconnected  95s    96s ago  -       -            v1.36.3     1200  -          the agent went away without a word",
        "",
      ].join("\n"),
    );
  });

  test("[L17] says that rows are hidden, not that there are none, where the user may not list them", async () => {
    const hidden = fakeCluster({ objectsHidden: true, rowCount: 0n, kinds: [] });
    const { call, stdout } = fakeFleetCall({ clusters: { listClusters: () => ({ clusters: [hidden] }) } });
    await listClusters(call, "");
    expect(stdout()).toContain("hidden");
  });

  test("says what stands beside the state", async () => {
    const paused = fakeCluster({ isPaused: true, connection: { state: "catchingUp", isFlapping: true, position: 3 } });
    const { call, stdout } = fakeFleetCall({ clusters: { listClusters: () => ({ clusters: [paused] }) } });
    await listClusters(call, "");
    expect(stdout()).toContain("catchingUp (paused, flapping, queue position 3)");
    expect(stdout()).toContain("never");
  });

  test("[HE16] says of a paused cluster that first, and who paused it", async () => {
    const connection = { state: "stale", reason: "paused", message: "The cluster is paused on purpose (by alice)." };
    const paused = fakeCluster({ isPaused: true, pausedBy: "alice", connection });
    const { call, stdout } = fakeFleetCall({ clusters: { listClusters: () => ({ clusters: [paused] }) } });
    await listClusters(call, "");
    expect(stdout()).toMatch(/^east +paused .*by alice/m);
  });

  test("[HE19] shows what is unhealthy, the kinds with most of it first", async () => {
    const kinds = [
      { resource: "pods", kind: "Pod", unhealthyCount: 1 },
      { resource: "apps/deployments", kind: "Deployment", unhealthyCount: 1, degradedCount: 1, troubledMsAgo: 90_000n },
    ];
    const { call, stdout } = fakeFleetCall({
      clusters: { listClusters: () => ({ clusters: [fakeCluster({ kinds })] }) },
    });
    await listClusters(call, "");
    expect(stdout()).toContain("3: 2 Deployment, 1 Pod");
  });

  test("[CL10][CL12] passes the selector on, and as json has numbers and no kinds", async () => {
    const asked: string[] = [];
    const kinds = [{ resource: "pods", kind: "Pod", unhealthyCount: 1, degradedCount: 2 }];
    const { call, stdout } = fakeFleetCall(
      { clusters: { listClusters: ({ selector }) => (asked.push(selector), { clusters: [fakeCluster({ kinds })] }) } },
      "json",
    );
    await listClusters(call, "environment=production");
    expect(asked).toEqual(["environment=production"]);
    const connection = { state: "live", seenMsAgo: 400 };
    expect(JSON.parse(stdout())).toMatchObject({
      clusters: [{ id: "east", isPaused: false, connection, rowCount: 1_200, troubleCount: 3, revision: "0" }],
    });
    expect(stdout()).not.toContain("kinds");
  });

  test("with no cluster is no table", async () => {
    const { call, stdout } = fakeFleetCall({ clusters: { listClusters: () => ({}) } });
    await listClusters(call, "");
    expect(stdout()).toBe("no clusters\n");
  });
});

test("a count of rows that are still being loaded is told as that", async () => {
  const cluster = fakeCluster({ isLoading: true });
  const clusters = { listClusters: () => ({ clusters: [cluster] }), getCluster: () => ({ cluster }) };
  const [list, one] = [fakeFleetCall({ clusters }), fakeFleetCall({ clusters })];
  await listClusters(list.call, "");
  expect(list.stdout()).toContain("1200, loading");
  await getCluster(one.call, "east");
  expect(one.stdout()).toContain("Rows:         1200, loading\n");
});

test("cluster get shows session, attempts and what is wrong with each kind", async () => {
  const cluster = fakeCluster({
    connection: lostConnection,
    kinds: [
      { resource: "pods", state: "watching", rowCount: 12n, currentMsAgo: 2_000n, sinceMsAgo: 60_000n },
      {
        resource: "networking.istio.io/envoyfilters",
        state: "failed",
        sinceMsAgo: 300_000n,
        fault: "forbidden",
        verb: "list",
        error: "envoyfilters is forbidden",
        refusedCount: 1,
        refusedError: "the row is too large",
        leftOutCount: 7n,
      },
    ],
  });
  const { call, stdout } = fakeFleetCall({ clusters: { getCluster: () => ({ cluster }) } });
  await getCluster(call, "west");
  expect(stdout()).toContain("Attempts:     4, next in 12s\n");
  expect(stdout()).toContain("Agent:        agt_1 0.1.0\n");
  expect(stdout()).toContain("Connected:    5m ago\n");
  expect(stdout()).toMatch(/^pods +watching +12 +- +2s ago +60s$/m);
  expect(stdout()).toMatch(
    /failed +0 +- +- +5m +list forbidden: envoyfilters is forbidden; 1 objects skipped, one because the row is too large; 7 over the limit$/m,
  );
});

test.each([
  [12 * 86_400_000, "Credential:   expires in 12d\n"],
  [-7_200_000, "Credential:   expired 2h ago\n"],
  [undefined, "Credential:   -\n"],
])("[SE46] cluster get says when the agent's credential ends: in %j ms", async (endsInMs, line) => {
  const cluster = fakeCluster(
    endsInMs === undefined ? {} : { credentialExpiresAt: timestampFromMs(testNowMs + endsInMs) },
  );
  const { call, stdout } = fakeFleetCall({ clusters: { getCluster: () => ({ cluster }) } });
  await getCluster(call, "east");
  expect(stdout()).toContain(line);
});

test("a message of a cluster cannot steer the terminal", async () => {
  const cluster = fakeCluster({ connection: { state: "stale", message: "\u001b[2Jgone" } });
  const { call, stdout } = fakeFleetCall({ clusters: { getCluster: () => ({ cluster }) } });
  await getCluster(call, "east");
  expect(stdout()).toContain("\\u001b[2Jgone");
});
