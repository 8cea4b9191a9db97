// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { metricNames } from "../../telemetry/metric-names.ts";
import { register } from "../fleet/testing/register.ts";
import { leafFaultLabel } from "./leaf-fault-label.ts";
import { GitopsRig, intervalMs, leafKubeconfig } from "./testing/gitops-rig.ts";

const never = new AbortController().signal;

describe("the collector", () => {
  let rig: GitopsRig;

  beforeEach(async () => {
    rig = await GitopsRig.open();
  });

  afterEach(async () => {
    await rig.close();
    expect(rig.hub.clock.timerCount).toBe(0);
  });

  /** Declares a cluster with a Secret of the same name. */
  const declare = (name: string, token = "good", namespace = "default"): void => {
    rig.writeSecret(name, leafKubeconfig(`${name}.example.com`, token), "value", namespace);
    rig.declare(name, { secretRef: { name } }, namespace);
  };

  test("[Q-21, Q-22, IN27] imports once, and again only when the Secret has changed", async () => {
    declare("east");
    rig.start();
    await rig.pass();
    expect(rig.states).toEqual({ "default/east": "current east" });
    const first = await rig.imports.load("east");
    expect(first?.owner).toMatchObject({ management: "uid-1", namespace: "default", name: "east" });
    const { revision } = rig.hub.store;
    await rig.pass(5 * intervalMs);
    expect(rig.hub.store.revision).toBe(revision);
    rig.writeSecret("east", leafKubeconfig("east.example.com", "rotated"));
    await rig.pass(2 * intervalMs);
    const second = await rig.imports.load("east");
    expect(second?.kubeconfig).toContain("rotated");
    expect(second?.privateKeyPem).toBe(first?.privateKeyPem);
    expect(rig.hub.metrics.get(metricNames.gitopsClusters, "current")).toBe(1);
  });

  test("[Q-23, L4, IN28] an object deleted while the collector was away is found by a complete list, and by nothing less", async () => {
    declare("east");
    declare("west");
    rig.start();
    await rig.pass();
    await rig.stop();
    rig.undeclare("east");
    rig.server.isAllowed = ({ gvr }) => gvr?.resource !== "gitopsclusters";
    rig.start();
    await rig.pass(60_000);
    expect(rig.ids).toEqual(["east", "west"]);
    rig.server.isAllowed = () => true;
    await rig.pass(60_000);
    expect(rig.ids).toEqual(["west"]);
    expect(await rig.imports.load("east")).toBeUndefined();
    expect(rig.states).toEqual({ "default/west": "current west" });
  });

  test("[L4, IN28] a removal that was interrupted after the registration is repeated", async () => {
    declare("east");
    rig.start();
    await rig.pass();
    await rig.stop();
    await rig.hub.fleet.removeCluster("east");
    rig.undeclare("east");
    rig.start();
    await rig.pass();
    expect(await rig.imports.load("east")).toBeUndefined();
  });

  test("[Q-23, L4] a management cluster that does not answer removes nothing, and deletions count once it is back", async () => {
    declare("east");
    rig.start();
    await rig.pass();
    rig.server.setState("down");
    rig.undeclare("east");
    await rig.pass(300_000);
    expect(rig.ids).toEqual(["east"]);
    rig.server.setState("up");
    await rig.pass(60_000);
    expect(rig.ids).toEqual([]);
  });

  test("[L4, IN28] another management cluster behind the same address removes nothing and takes nothing over", async () => {
    declare("east");
    rig.start();
    await rig.pass();
    const first = rig.server;
    rig.server = rig.createServer(9);
    declare("east");
    rig.undeclare("east");
    first.breakWatches("reset");
    first.setState("down");
    rig.server.compact();
    await rig.pass(120_000);
    expect(rig.ids).toEqual(["east"]);
    declare("east");
    await rig.pass();
    expect(rig.states).toEqual({ "default/east": "conflict east" });
    expect(rig.reasonOf("default/east")).toContain("of another management cluster");
    expect((await rig.imports.load("east"))?.owner?.management).toBe("uid-1");
  });

  test("an object that was created again is another cluster: the first is removed, then the second is imported", async () => {
    declare("east");
    rig.start();
    await rig.pass();
    await rig.stop();
    rig.undeclare("east");
    rig.writeSecret("east", leafKubeconfig("elsewhere.example.com", "good"));
    rig.declare("east");
    rig.start();
    await rig.pass();
    expect(rig.states).toEqual({ "default/east": "current east" });
    expect((await rig.hub.fleet.clusters.load("east"))?.clusterUid).toBe("uid-of-elsewhere.example.com");
  });

  test("[IN26] an id that is taken is refused with the reason, never taken over, and taken up once it is free", async () => {
    await register(rig.hub.fleet, "east");
    const imported = { region: "", environment: "", labels: new Map<string, string>() };
    const kubeconfig = leafKubeconfig("west.example.com", "of-the-user");
    await rig.imports.importCluster({ id: "west", kubeconfig, ...imported }, never);
    declare("east");
    declare("west");
    declare("b-c", "good", "a");
    declare("c", "good", "a-b");
    rig.start();
    await rig.pass();
    expect(rig.states).toEqual({
      "default/east": "conflict east",
      "default/west": "conflict west",
      "a-b/c": "current a-b-c",
      "a/b-c": "conflict a-b-c",
    });
    expect(rig.reasonOf("default/east")).toMatch(/taken by a cluster with an agent of its own/);
    expect(rig.reasonOf("default/west")).toMatch(/that a user imported/);
    expect(rig.reasonOf("a/b-c")).toMatch(/is that of GitopsCluster a-b\/c too/);
    expect((await rig.imports.load("west"))?.kubeconfig).toBe(kubeconfig);
    rig.undeclare("west");
    await rig.pass();
    expect(rig.ids).toContain("west");
    await rig.hub.fleet.removeCluster("east");
    rig.undeclare("c", "a-b");
    await rig.pass(120_000);
    expect(rig.states).toEqual({ "default/east": "current east", "a/b-c": "current a-b-c" });
  });

  test("[IN28] a cluster that a user imports again is the user's: its object no longer changes or removes it", async () => {
    declare("east");
    rig.start();
    await rig.pass();
    const imported = { region: "", environment: "", labels: new Map<string, string>() };
    const kubeconfig = leafKubeconfig("east.example.com", "of-the-user");
    await rig.imports.importCluster({ id: "east", kubeconfig, ...imported }, never);
    await rig.pass(3 * intervalMs);
    expect(rig.states).toEqual({ "default/east": "conflict east" });
    rig.undeclare("east");
    await rig.pass(3 * intervalMs);
    expect((await rig.imports.load("east"))?.kubeconfig).toBe(kubeconfig);
    expect(rig.ids).toEqual(["east"]);
  });

  test("[Q-22, IN29] each mistake is the reason of its own object, and an earlier credential stays in use", async () => {
    const exec = { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "x", interactiveMode: "Never" } };
    declare("good");
    declare("refused", "refused");
    declare("down", "down");
    rig.declare("no-secret");
    rig.declare("no-ref", {});
    rig.declare("no-key");
    rig.writeSecret("no-key", "text", "kubeconfig");
    rig.declare("no-yaml");
    rig.writeSecret("no-yaml", "{", "value.yaml");
    rig.declare("exec");
    rig.writeSecret("exec", leafKubeconfig("exec.example.com", "", exec));
    rig.start();
    await rig.pass();
    expect(rig.states).toEqual({
      "default/good": "current good",
      "default/refused": "refused refused",
      "default/down": "unreached down",
      "default/no-secret": "invalid no-secret",
      "default/no-ref": "invalid no-ref",
      "default/no-key": "invalid no-key",
      "default/no-yaml": "invalid no-yaml",
      "default/exec": "invalid exec",
    });
    expect(rig.reasonOf("default/no-secret")).toBe("Secret default/no-secret does not exist");
    expect(rig.reasonOf("default/no-ref")).toMatch(/names no Secret/);
    expect(rig.reasonOf("default/no-key")).toMatch(/neither the key value nor value.yaml/);
    expect(rig.reasonOf("default/no-yaml")).toMatch(/is not YAML at line 1/);
    expect(rig.reasonOf("default/exec")).toMatch(/may not have an exec plugin/);
    expect(rig.ids).toEqual(["down", "good", "refused"]);
    expect(await rig.imports.loadUnreached("refused")).toMatchObject({ fault: "unauthorized" });
    expect(rig.hub.metrics.get(metricNames.gitopsClusters, "invalid")).toBe(5);

    const faultOf = async (id: string): Promise<string | undefined> =>
      (await rig.hub.fleet.clusters.load(id))?.labels.get(leafFaultLabel);
    rig.writeSecret("good", leafKubeconfig("good.example.com", "refused"));
    await rig.pass(2 * intervalMs);
    expect([rig.states["default/good"], await faultOf("good")]).toEqual(["refused good", "refused"]);
    expect((await rig.imports.load("good"))?.kubeconfig).toContain('"good"');
    rig.writeSecret("good", leafKubeconfig("another.example.com", "good"));
    await rig.pass(2 * intervalMs);
    expect([rig.states["default/good"], await faultOf("good")]).toEqual(["conflict good", "conflict"]);
    rig.writeSecret("good", leafKubeconfig("good.example.com", "newest"));
    rig.writeSecret("refused", leafKubeconfig("refused.example.com", "newest"));
    await rig.pass(2 * intervalMs);
    expect([rig.states["default/good"], await faultOf("good")]).toEqual(["current good", undefined]);
    expect(rig.states["default/refused"]).toBe("current refused");
  });

  test("[L12, IN29] a refused credential is tried again with growing delays, a changed one at once", async () => {
    declare("east");
    rig.start();
    await rig.pass();
    rig.writeSecret("east", leafKubeconfig("east.example.com", "refused"));
    let probeCount = 0;
    const { importCluster } = rig.imports;
    rig.imports.importCluster = (...args) => {
      probeCount += 1;
      return importCluster.apply(rig.imports, args);
    };
    await rig.pass(3_600_000);
    expect(probeCount).toBeGreaterThan(5);
    expect(probeCount).toBeLessThan(20); // 360 intervals
    rig.writeSecret("east", leafKubeconfig("east.example.com", "good"));
    await rig.pass(2 * intervalMs);
    expect(rig.states).toEqual({ "default/east": "current east" });
  });

  test("[Q-26, L14] leaves that hang delay no other", async () => {
    for (let at = 0; at < 5; at += 1) declare(`hanging-${at}`, "hanging");
    for (let at = 0; at < 20; at += 1) declare(`leaf-${at}`);
    rig.start();
    await rig.pass();
    expect(rig.ids).toHaveLength(20);
    expect(Object.values(rig.states).filter((state) => state.startsWith("pending"))).toHaveLength(5);
  });

  test("[Q-22] a Secret that cannot be read for now changes nothing, and is read again", async () => {
    declare("east");
    rig.start();
    await rig.pass();
    rig.writeSecret("east", leafKubeconfig("east.example.com", "newer"));
    rig.server.faults.add({
      fault: { kind: "status", status: 500 },
      matches: ({ gvr }) => gvr?.resource === "secrets",
      count: 3,
    });
    await rig.pass(60_000);
    expect((await rig.imports.load("east"))?.kubeconfig).toContain("newer");
    expect(rig.states).toEqual({ "default/east": "current east" });
  });

  test("[IN25] a refused credential for the management cluster is read again", async () => {
    declare("east");
    rig.server.faults.add({ fault: { kind: "status", status: 401 }, count: 5 });
    rig.start();
    await rig.pass(120_000);
    expect(rig.ids).toEqual(["east"]);
  });
});

test("[IN30] no more clusters are imported than the limit, and a deleted one makes room", async () => {
  const rig = await GitopsRig.open({ maxLeafCount: 2 });
  for (const name of ["a", "b", "c"]) {
    rig.writeSecret(name, leafKubeconfig(`${name}.example.com`, "good"));
    rig.declare(name);
  }
  rig.start();
  await rig.pass();
  expect(rig.ids).toHaveLength(2);
  expect(Object.values(rig.states).filter((state) => state.startsWith("conflict"))).toHaveLength(1);
  const [first = ""] = rig.ids;
  rig.undeclare(first);
  await rig.pass(2 * intervalMs);
  expect(rig.ids).toHaveLength(2);
  expect(rig.ids).not.toContain(first);
  await rig.close();
});

test("[IN25, IN28] only the chosen namespaces are followed, and objects of others are not taken for deleted", async () => {
  const rig = await GitopsRig.open({ namespaces: ["fleet"] });
  const declareIn = (namespace: string): void => {
    rig.writeSecret("east", leafKubeconfig(`${namespace}.example.com`, "good"), "value", namespace);
    rig.declare("east", { capiClusterRef: { name: "east" } }, namespace);
    rig.writeSecret("east-kubeconfig", leafKubeconfig(`${namespace}.example.com`, "good"), "value", namespace);
  };
  declareIn("fleet");
  declareIn("other");
  const owner = { management: "uid-1", namespace: "other", name: "east", uid: "u1" };
  const kubeconfig = leafKubeconfig("other.example.com", "good");
  const imported = { region: "", environment: "", labels: new Map<string, string>() };
  await rig.imports.importCluster({ id: "other-east", kubeconfig, ...imported, owner }, never);
  rig.start();
  await rig.pass(60_000);
  expect(rig.states).toEqual({ "fleet/east": "current fleet-east" });
  expect(rig.ids).toEqual(["fleet-east", "other-east"]);
  await rig.close();
});
