// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import { RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";
import { KubeError } from "../../kube/kube-error.ts";
import { parseAgentKey } from "../../rpc/auth/ed25519.ts";
import { put } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import { withoutKeys } from "../clusters/cluster-changes.ts";
import { acceptReplacement, setPaused } from "../clusters/testing/administer.ts";
import { keyNamed } from "../fleet/testing/model-agent.ts";
import { agentOf, register } from "../fleet/testing/register.ts";
import { startFleet, type TestFleet } from "../fleet/testing/test-fleet.ts";
import { ClusterImports, type ClusterImportsOptions, type ImportRequest } from "./cluster-imports.ts";
import { type ImportRecord, importKey, importPrefix } from "./import-record.ts";

const never = new AbortController().signal;

function kubeconfigOf(server: string, user: Record<string, unknown> = { token: "t0ken" }): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "Admin@c", context: { cluster: "c", user: "u" } }],
  });
}

const elsewhere = kubeconfigOf("https://cluster.example.com:6443");

function wish(id: string, given: Partial<ImportRequest> = {}): ImportRequest {
  return { id, kubeconfig: elsewhere, region: "", environment: "", labels: new Map(), ...given };
}

describe("imports", () => {
  let hub: TestFleet;
  let uid: string;

  beforeEach(async () => {
    hub = await startFleet();
    uid = "uid-1";
  });

  afterEach(async () => {
    await hub.stop();
    expect(hub.clock.timerCount).toBe(0);
  });

  function importsWith(options: Partial<ClusterImportsOptions> = {}): ClusterImports {
    return new ClusterImports({
      store: hub.store,
      audit: hub.audit,
      registry: hub.fleet.clusters,
      probe: () => Promise.resolve({ uid, kubernetesVersion: "v1.36.3" }),
      allowsLoopback: false,
      clock: hub.clock,
      random: createSeededRandom(1),
      log: silentLogger,
      ...options,
    });
  }

  async function storedCount(): Promise<number> {
    return (await hub.store.list(objects, { prefix: importPrefix })).rows.length;
  }

  /** The calls of a listener, newest last, until `stop`. */
  function follow(imports: ClusterImports): {
    readonly calls: [string, ImportRecord | undefined][];
    stop(): Promise<unknown>;
  } {
    const calls: [string, ImportRecord | undefined][] = [];
    const ending = new AbortController();
    const following = imports
      .follow((id, record) => calls.push([id, record]), ending.signal)
      .catch((reason: unknown) => reason);
    return {
      calls,
      stop() {
        ending.abort(new Error("enough"));
        return following;
      },
    };
  }

  test("registers the cluster with the key that its agent is given", async () => {
    const imports = importsWith();
    const record = await imports.importCluster(
      wish("east", { region: "eu", labels: new Map([["tier", "gold"]]) }),
      never,
    );
    expect(await hub.fleet.clusters.load("east")).toEqual(record);
    expect(record).toMatchObject({ source: "kubeconfig", clusterUid: "uid-1", isApproved: true, pause: undefined });
    expect([record.metadata.region, record.metadata.kubernetesVersion]).toEqual(["eu", "v1.36.3"]);
    expect(record.labels).toEqual(new Map([["tier", "gold"]]));
    const follower = follow(imports);
    await settle();
    await follower.stop();
    const [[id, imported] = ["", undefined]] = follower.calls;
    expect([id, imported]).toMatchObject(["east", { kubeconfig: elsewhere, context: "Admin@c", region: "eu" }]);
    expect(record.keys).toEqual([
      { publicKey: parseAgentKey(imported?.privateKeyPem ?? "").publicKey, state: "active" },
    ]);
  });

  test("[R-11] importing again replaces the credential and keeps key, labels and pause", async () => {
    const imports = importsWith();
    const follower = follow(imports);
    const first = await imports.importCluster(
      wish("east", { region: "eu", labels: new Map([["tier", "gold"]]) }),
      never,
    );
    await setPaused(hub.fleet, "east", true);
    const other = kubeconfigOf("https://cluster.example.com", { token: "other" });
    const second = await imports.importCluster(wish("east", { kubeconfig: other }), never);
    await settle();
    await follower.stop();
    expect(second).toMatchObject({
      keys: first.keys,
      labels: first.labels,
      pause: { by: "" },
      createdAtMs: first.createdAtMs,
    });
    expect(second.metadata.region).toBe("eu");
    expect(follower.calls.map(([id, record]) => [id, record?.kubeconfig])).toEqual([
      ["east", elsewhere],
      ["east", other],
    ]);
    expect(await storedCount()).toBe(1);
  });

  test("an import after the key was revoked gives the agent another one", async () => {
    const imports = importsWith();
    const first = await imports.importCluster(wish("east"), never);
    await hub.fleet.clusters.update("east", withoutKeys);
    const second = await imports.importCluster(wish("east"), never);
    expect(second.keys).toHaveLength(1);
    expect(second.keys).not.toEqual(first.keys);
  });

  test("a follower is told of what is forgotten, and of nothing twice", async () => {
    const imports = importsWith();
    await imports.importCluster(wish("east"), never);
    await imports.importCluster(wish("west"), never);
    const follower = follow(imports);
    await settle();
    await imports.importCluster(wish("west"), never);
    await imports.forget("east");
    await settle();
    expect(await follower.stop()).toMatchObject({ message: "enough" });
    expect(follower.calls.map(([id, record]) => [id, record !== undefined])).toEqual([
      ["east", true],
      ["west", true],
      ["east", false],
    ]);
    expect(await storedCount()).toBe(1);
  });

  test("[L14] one that makes no sense in the store keeps no other from being followed", async () => {
    const imports = importsWith();
    await hub.store.commit([put(objects, importKey("bad"), { body: new TextEncoder().encode("{") })]);
    await imports.importCluster(wish("east"), never);
    const follower = follow(imports);
    await settle();
    await follower.stop();
    expect(follower.calls.map(([id, record]) => [id, record !== undefined])).toEqual([
      ["bad", false],
      ["east", true],
    ]);
  });

  test("an id that an agent joined with is taken, and so is one of another cluster", async () => {
    const imports = importsWith();
    await register(hub.fleet, "east");
    await expect(imports.importCluster(wish("east"), never)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      message: expect.stringContaining("taken by a cluster with an agent of its own") as unknown,
    });
    await imports.importCluster(wish("west"), never);
    uid = "uid-2";
    await expect(imports.importCluster(wish("west"), never)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      message: expect.stringContaining("`flotilla cluster accept west uid-2` first") as unknown,
    });
    await acceptReplacement(hub.fleet, "west", "uid-2");
    await imports.importCluster(wish("west"), never);
    expect(await storedCount()).toBe(1);
  });

  test.each([
    [
      "an exec plugin",
      kubeconfigOf("https://a.example.com", {
        exec: { apiVersion: "client.authentication.k8s.io/v1", command: "x", interactiveMode: "Never" },
      }),
      /an exec plugin \(exec\)/,
    ],
    ["a token file", kubeconfigOf("https://a.example.com", { tokenFile: "/etc/passwd" }), /a token file \(tokenFile\)/],
    ["a loopback address", kubeconfigOf("https://127.0.0.1:6443"), /a loopback address/],
    ["the cloud's metadata", kubeconfigOf("https://169.254.169.254"), /a link-local address/],
    ["plain HTTP", kubeconfigOf("http://a.example.com"), /a server without TLS/],
    ["no context", "{}", /must hold one context, not 0/],
    ["no YAML", "{", /is not YAML/],
  ])("[KU7] %s is refused before anything is dialled or stored", async (_what, kubeconfig, sentence) => {
    const imports = importsWith({ probe: () => Promise.reject(new Error("dialled")) });
    const refusal = await imports.importCluster(wish("east", { kubeconfig }), never).catch((reason: unknown) => reason);
    expect(refusal).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(sentence) as unknown });
    expect(await storedCount()).toBe(0);
    expect(await hub.fleet.clusters.load("east")).toBeUndefined();
  });

  test("[KU7] where loopback is allowed that alone is, and a name elsewhere is still judged when it is dialled", async () => {
    const dialled: [string, boolean][] = [];
    const imports = importsWith({
      allowsLoopback: true,
      probe: ({ server, isRestricted }) => {
        dialled.push([server.hostname, isRestricted]);
        return Promise.resolve({ uid, kubernetesVersion: "" });
      },
    });
    await imports.importCluster(wish("near", { kubeconfig: kubeconfigOf("https://localhost:1") }), never);
    await imports.importCluster(wish("far"), never);
    const metadata = wish("link", { kubeconfig: kubeconfigOf("https://169.254.169.254") });
    await expect(imports.importCluster(metadata, never)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(dialled).toEqual([
      ["localhost", false],
      ["cluster.example.com", true],
    ]);
  });

  test("a cluster that does not answer is taken, and its first session tells its uid", async () => {
    const cause = new KubeError("dns", "there is no such host");
    const down = new FlotillaError("UNAVAILABLE", "the cluster does not answer", { cause });
    const imports = importsWith({ probe: () => Promise.reject(down) });
    expect(await imports.importCluster(wish("east"), never)).toMatchObject({ clusterUid: "", source: "kubeconfig" });
    expect(await imports.loadUnreached("east")).toEqual({ fault: "dns", detail: "there is no such host" });
    await hub.fleet.clusters.update("east", (record) => ({
      ...record,
      keys: [{ publicKey: keyNamed("east"), state: "active" }],
    }));
    await settle();
    expect(await agentOf(hub.fleet, "east", { clusterUid: "uid-9" }).connect()).toBe("welcome");
    expect(await hub.fleet.clusters.load("east")).toMatchObject({ clusterUid: "uid-9" });
    await settle();
    expect(hub.fleet.sessions.list()).toHaveLength(1);
    const other = agentOf(hub.fleet, "east", { agentId: "other", clusterUid: "uid-8" });
    expect(await other.connect()).toBe("rejected");
    expect(await other.next("rejected")).toMatchObject({ reason: RejectReason.WRONG_CLUSTER });
  });

  test("one that answers when it is imported again has its uid from then on, and one that is known keeps it", async () => {
    let isDown = true;
    const down = new FlotillaError("UNAVAILABLE", "the cluster does not answer");
    const imports = importsWith({
      probe: () => (isDown ? Promise.reject(down) : Promise.resolve({ uid, kubernetesVersion: "" })),
    });
    await imports.importCluster(wish("east"), never);
    isDown = false;
    expect(await imports.importCluster(wish("east"), never)).toMatchObject({ clusterUid: "uid-1" });
    expect(await imports.loadUnreached("east")).toBeUndefined();
    isDown = true;
    expect(await imports.importCluster(wish("east"), never)).toMatchObject({ clusterUid: "uid-1" });
  });

  test("a cluster that refuses the credential, and an id that is none, store nothing", async () => {
    const refused = new FlotillaError("INVALID_ARGUMENT", "the cluster does not take us");
    await expect(importsWith({ probe: () => Promise.reject(refused) }).importCluster(wish("east"), never)).rejects.toBe(
      refused,
    );
    await expect(importsWith().importCluster(wish("East"), never)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await storedCount()).toBe(0);
    expect(hub.fleet.clusters.list()).toEqual([]);
  });
});
