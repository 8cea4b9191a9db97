// SPDX-License-Identifier: Apache-2.0
import { createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { SystemService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { type Cluster, ClusterService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { OutputFormat } from "../output/output.ts";
import { fakeCluster } from "../testing/fake-fleet.ts";
import { recordIo } from "../testing/recorded-io.ts";
import { examine, examineCluster } from "./doctor.ts";
import { adviceForHub } from "./doctor-advice.ts";

function callWith(
  clusters: readonly Cluster[],
  { output = "text", isRefused = false }: { output?: OutputFormat; isRefused?: boolean } = {},
) {
  const recorded = recordIo();
  const transport = createRouterTransport(({ service }) => {
    service(SystemService, {
      getVersion: () => ({ version: "0.1.0" }),
      whoAmI: () => {
        if (isRefused) throw new FlotillaError("UNAUTHENTICATED", "the token is unknown");
        return { user: "ann" };
      },
    });
    service(ClusterService, { listClusters: () => ({ clusters: [...clusters] }) });
  });
  const call = { transport, io: recorded.io, output, signal: new AbortController().signal };
  return { call, ...recorded };
}

test("every hop that works is said to, and nothing is to be done", async () => {
  const works = { resource: "", verdict: "ok", cause: "", advice: "" };
  const { call, stdout } = callWith([fakeCluster()], { output: "json" });
  await examine(call);
  expect(JSON.parse(stdout())).toEqual({
    findings: [
      { ...works, hop: "hub", cluster: "", says: "answers, version 0.1.0" },
      { ...works, hop: "token", cluster: "", says: "is valid for user ann" },
      { ...works, hop: "east", cluster: "east", says: "live" },
    ],
  });
});

test("a lost cluster is bad, with what is seen and what to do, and the exit code says so", async () => {
  const lost = fakeCluster({ connection: { state: "disconnected", reason: "agentLost", message: "no heartbeat" } });
  const { call, stdout } = callWith([lost]);
  await expect(examine(call)).rejects.toMatchObject({ code: "UNAVAILABLE", message: "1 of 3 hops are bad" });
  expect(stdout()).toMatch(/^bad {3}east: disconnected: no heartbeat -- check the agent's Pod/m);
});

test("a fleet without clusters is told how to get one", async () => {
  const { call, stdout } = callWith([]);
  await examine(call);
  expect(stdout()).toContain("flotilla cluster join ID");
});

test.each([
  [{ isPending: true }, "waits for approval", "flotilla cluster approve east"],
  [{ isPaused: true }, "is paused", "flotilla cluster resume east"],
])("a cluster with %j is no loss", (fields, says, advice) => {
  expect(examineCluster(fakeCluster(fields))).toMatchObject([{ hop: "east", verdict: "warn", says, advice }]);
});

test("kinds that cannot be read, and objects without a row, are warnings of their own", () => {
  const kinds = [
    {
      resource: "pods",
      state: "failed",
      verb: "list",
      fault: "forbidden",
      error: "pods is forbidden",
      currentMsAgo: 90_000n,
    },
    { resource: "roles", state: "watching", refusedCount: 2, refusedError: "the row is too large" },
  ];
  const findings = examineCluster(fakeCluster({ kinds }));
  expect(findings.map(({ hop, verdict }) => [hop, verdict])).toEqual([
    ["east", "ok"],
    ["east pods", "warn"],
    ["east roles", "warn"],
  ]);
  expect(findings[1]).toMatchObject({ says: "list fails, as of 90s ago: pods is forbidden" });
  expect(findings[1]?.advice).toContain("flotilla agent manifest");
  expect(findings[2]?.says).toBe("2 objects have no row: the row is too large");
});

test("[CL4] the same problem of many clusters and kinds is one line, the bad ones first", async () => {
  const refusedKinds = ["pods", "secrets", "nodes", "services", "events"].map((resource) => ({
    resource,
    state: "failed",
    verb: "list",
    fault: "forbidden",
    error: `${resource} is forbidden: User "system:serviceaccount:flotilla:agent" cannot list resource "${resource}" in API group ""`,
  }));
  const lostConnection = { state: "disconnected", reason: "tls", message: "The certificate is not signed by the CA." };
  const clusters = [
    fakeCluster({ id: "a" }),
    fakeCluster({ id: "b", kinds: refusedKinds }),
    fakeCluster({ id: "c", kinds: refusedKinds }),
    ...["d", "e", "f", "g"].map((id) => fakeCluster({ id, connection: lostConnection })),
    ...["h", "i"].map((id) => fakeCluster({ id, isPending: true })),
  ];
  const { call, stdout } = callWith(clusters);
  await expect(examine(call)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const lines = stdout().trimEnd().split("\n");
  expect(lines).toEqual([
    "ok    hub answers, version 0.1.0; token is valid for user ann; 3 clusters are live",
    "bad   4 clusters (d, e, f, ...): disconnected: The certificate is not signed by the CA. -- check the API server's certificate and the CA the agent was given",
    expect.stringMatching(
      /^warn {2}2 clusters \(b, c\) 5 kinds \(pods, secrets, nodes, \.\.\.\): such as: list fails, never read: pods is forbidden: .*\.\.\. -- grant the agent its permissions/,
    ),
    "warn  2 clusters (h, i): waits for approval -- flotilla cluster approve ID",
  ]);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(230);
});

test.each([
  ["UNAUTHENTICATED", {}, "flotilla login"],
  ["CERTIFICATE_INVALID", { network: "SELF_SIGNED_CERT_IN_CHAIN" }, "--ca-file"],
  ["CERTIFICATE_INVALID", { network: "CERT_HAS_EXPIRED" }, "renew"],
  ["UNAVAILABLE", { network: "ENOTFOUND" }, "DNS"],
  ["UNAVAILABLE", { network: "ECONNREFUSED" }, "start the hub"],
  ["PERMISSION_DENIED", {}, "may list clusters"],
] as const)("[CL4] a hub that fails with %s %j gets the advice of that cause", (code, ids, advice) => {
  expect(adviceForHub(new FlotillaError(code, "failed", { ids }))).toContain(advice);
});
