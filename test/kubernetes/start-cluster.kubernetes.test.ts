// SPDX-License-Identifier: Apache-2.0
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../e2e/fleet/eventually.ts";
import { runProgram } from "../e2e/run-program.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (reason) {
    if (reason instanceof Error && "code" in reason && reason.code === "ESRCH") return false;
    throw reason;
  }
}

function pidOf(cluster: KubernetesCluster, program: string): number {
  const found = cluster.programs.find(({ name }) => name === program);
  if (found === undefined) throw new Error(`the cluster runs no ${program}`);
  return found.pid;
}

function stillThere(cluster: KubernetesCluster): readonly unknown[] {
  const files = [dirname(cluster.caFile)].filter((path) => existsSync(path));
  return [...cluster.programs.filter(({ pid }) => isRunning(pid)), ...files];
}

describeOnKit("a real Kubernetes cluster", [], (kit) => {
  test("starts, knows its users, serves kubectl, and leaves neither process nor file", async () => {
    const cluster = await startCluster({ kit, users: [{ name: "alice", groups: ["dev", "ops"] }] });
    expect(cluster.version).toMatch(/^v1\.\d+\.\d+/);
    expect(cluster.programs.map(({ name }) => name)).toEqual(["etcd", "kube-apiserver"]);
    const args = ["--kubeconfig", cluster.kubeconfigFile, "--context", "alice", "auth", "whoami", "-o", "json"];
    const kubectl = await runProgram(kit.kubectl, args, { cwd: dirname(cluster.caFile), env: {} });
    expect(kubectl).toMatchObject({ code: 0, stderr: "" });
    const { status } = JSON.parse(kubectl.stdout) as { status: unknown };
    const groups = ["dev", "ops", "system:authenticated"];
    expect(status).toMatchObject({ userInfo: { username: "alice", groups } });
    expect(await cluster.connect("alice").send("GET", "/api/v1/namespaces")).toMatchObject({ status: 403 });
    expect(await cluster.connect().send("GET", "/api/v1/namespaces")).toMatchObject({ status: 200 });
    await cluster.stop();
    expect(stillThere(cluster)).toEqual([]);
  });

  test("two at once know nothing of each other", async () => {
    const clusters = await Promise.all([startCluster({ kit }), startCluster({ kit })]);
    await using first = clusters[0];
    await using second = clusters[1];
    const body = { metadata: { name: "only-here" } };
    const path = "/api/v1/namespaces/default/configmaps";
    expect(await first.connect().send("POST", path, { body })).toMatchObject({ status: 201 });
    expect(await first.connect().send("GET", `${path}/only-here`)).toMatchObject({ status: 200 });
    expect(await second.connect().send("GET", `${path}/only-here`)).toMatchObject({ status: 404 });
    expect(first.tokenOf("admin")).not.toBe(second.tokenOf("admin"));
  });

  test("that cannot start says what the program said, and leaves nothing", async () => {
    const started = startCluster({ kit, apiserverFlags: ["--no-such-flag"] });
    await expect(started).rejects.toThrow(/kube-apiserver ended with code 1.*unknown flag: --no-such-flag/s);
  });

  test("that lost a process says so when it is stopped", async () => {
    const cluster = await startCluster({ kit });
    const pid = pidOf(cluster, "etcd");
    process.kill(pid, "SIGKILL");
    await eventually(() => expect(isRunning(pid)).toBe(false));
    await expect(cluster.stop()).rejects.toThrow(/etcd was ended by SIGKILL/);
    expect(stillThere(cluster)).toEqual([]);
  });
});
