// SPDX-License-Identifier: Apache-2.0
// `flotilla up` with a playground cluster, as a process: its kubeconfig works, and `flotilla playground` does what it
// says.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../kubernetes/kube-client.ts";
import { eventually } from "./fleet/eventually.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";
import type { ProgramResult } from "./run-program.ts";

interface PodList {
  readonly items: readonly { readonly status?: { readonly phase?: string } }[];
}

describe("a playground cluster of flotilla up", () => {
  const up = new PlaygroundUp(1);
  let client: KubeClient;

  const playground = (...args: readonly string[]): Promise<ProgramResult> => up.run("playground", ...args);

  beforeAll(async () => {
    await up.start();
    client = up.connect("eu-west-1");
  });

  afterAll(async () => {
    expect(await up.close()).toBe(0);
  });

  test("answers with Pods that run, and knows no other token", async () => {
    await eventually(async () => {
      const { items } = (await client.ask("GET", "/api/v1/pods")) as PodList;
      expect(items.filter(({ status }) => status?.phase === "Running").length).toBeGreaterThan(3);
    });
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

  test("[CL14] lists a trouble while it is active, and the troubles to choose from", async () => {
    expect(await playground("trouble", "eu-west-1", "crash-loop")).toMatchObject({ code: 0 });
    const struck = await playground("list");
    expect(struck.stdout).toMatch(/eu-west-1 .* crash-loop \(.+\/.+\)/);
    expect(struck.stdout).toMatch(/Available troubles: .*node-loss/);
    expect(await playground("heal", "eu-west-1", "crash-loop")).toMatchObject({ code: 0 });
    expect((await playground("list")).stdout).not.toMatch(/crash-loop \(/);
  });

  test("says what is wrong with a name or a trouble it does not know", async () => {
    const unknown = await playground("stop", "nowhere");
    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toContain('there is no playground cluster "nowhere"; there are: eu-west-1');
    const strange = await playground("trouble", "eu-west-1", "gremlins");
    expect(strange.code).toBe(2);
    expect(strange.stderr).toMatch(/unknown trouble "gremlins"; choose one of: .*crash-loop/);
  });
});
