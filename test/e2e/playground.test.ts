// SPDX-License-Identifier: Apache-2.0
// `flotilla up` with a playground cluster, as a process: its kubeconfig works, and `flotilla playground` does what it says.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/project.ts";
import { KubeClient } from "../kubernetes/kube-client.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { type ProgramResult, promptEnvironment, runProgram } from "./run-program.ts";

const entry = join(root, "src/main/flotilla.ts");

interface Kubeconfig {
  readonly clusters: readonly { name: string; cluster: { server: string; "certificate-authority-data": string } }[];
  readonly users: readonly { user: { token: string } }[];
}

interface PodList {
  readonly items: readonly { readonly status?: { readonly phase?: string } }[];
}

describe("a playground cluster of flotilla up", () => {
  const folder = openTempFolder();
  let up: ChildProcess;
  let exited: Promise<number | null>;
  let client: KubeClient;

  const playground = (...args: readonly string[]): Promise<ProgramResult> =>
    runProgram(process.execPath, [entry, "playground", ...args], { cwd: folder.path, env: promptEnvironment() });

  beforeAll(async () => {
    const flags = ["--clusters", "1", "--port", "0", "--http-port", "0", "--log-level", "error"];
    up = spawn(process.execPath, [entry, "up", ...flags], {
      cwd: folder.path,
      env: promptEnvironment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    exited = new Promise((resolve) => up.once("close", resolve));
    await new Promise<void>((resolve) => up.stdout?.once("data", () => resolve()));
    const text = readFileSync(join(folder.path, ".flotilla", "kubeconfig"), "utf8");
    const config = parse(text) as Kubeconfig;
    const { cluster } = config.clusters[0]!;
    const ca = Buffer.from(cluster["certificate-authority-data"], "base64").toString();
    client = new KubeClient({ url: cluster.server, ca, token: config.users[0]?.user.token ?? "" });
  }, 60_000);

  afterAll(async () => {
    client.close();
    up.kill("SIGTERM");
    expect(await exited).toBe(0);
    folder[Symbol.dispose]();
  });

  test("answers with Pods that run, and knows no other token", async () => {
    await expect
      .poll(
        async () => {
          const { body } = await client.send("GET", "/api/v1/pods");
          return (body as PodList).items.filter(({ status }) => status?.phase === "Running").length;
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThan(3);
    const headers = { authorization: "Bearer forged" };
    expect(await client.send("GET", "/api/v1/pods", { headers })).toMatchObject({ status: 401 });
  });

  test("is listed, stopped and started; its objects stay", async () => {
    const listed = await playground("list", "-o", "json");
    expect(JSON.parse(listed.stdout)).toMatchObject({
      clusters: [{ name: "eu-west-1", region: "eu-west", isRunning: true, network: "open" }],
    });
    await client.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "kept" } } });
    expect(await playground("stop", "eu-west-1")).toMatchObject({ code: 0, stdout: "eu-west-1 is stopped\n" });
    await expect(client.send("GET", "/version")).rejects.toThrow(/ECONNRESET|socket hang up|disconnected/);
    expect(await playground("start", "eu-west-1")).toMatchObject({ code: 0, stdout: "eu-west-1 runs\n" });
    expect(await client.send("GET", "/api/v1/namespaces/kept")).toMatchObject({ status: 200 });
  });

  test("can be cut off and healed", async () => {
    expect(await playground("cut", "eu-west-1")).toMatchObject({ code: 0 });
    await expect(client.send("GET", "/version")).rejects.toThrow(/ECONNRESET|socket hang up|disconnected/);
    expect(await playground("heal", "eu-west-1")).toMatchObject({ code: 0, stdout: "eu-west-1 can be reached\n" });
    expect(await client.send("GET", "/version")).toMatchObject({ status: 200 });
  });

  test("says what is wrong with a name or a trouble it does not know", async () => {
    const unknown = await playground("stop", "nowhere");
    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toContain('there is no playground cluster "nowhere"; there are: eu-west-1');
    const strange = await playground("trouble", "eu-west-1", "gremlins");
    expect(strange.code).toBe(2);
    expect(strange.stderr).toMatch(/"gremlins" is no trouble we know; choose one of: .*crash-loop/);
  });
});
