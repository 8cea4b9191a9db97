// SPDX-License-Identifier: Apache-2.0
// Objects read through agents that are not those of `flotilla up`: one begun by hand, with and without leave to read,
// and one of an imported cluster.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { tunnelDeadlineMs } from "../../src/hub/tunnels/tunnel-broker.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { BackgroundProgram, quickPaces } from "./fleet/background-program.ts";
import { eventually } from "./fleet/eventually.ts";
import { ImportingHub } from "./fleet/importing-hub.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";
import { TcpProxy } from "./fleet/tcp-proxy.ts";
import type { ProgramResult } from "./run-program.ts";

const [eu, us] = ["eu-west-1", "us-east-1"] as const;
const configMaps = "/api/v1/namespaces/shop/configmaps";

describe("objects of clusters that another hub follows", () => {
  const real = new PlaygroundUp(2);
  const hub = new ImportingHub();
  const folder = openTempFolder();
  let agent: BackgroundProgram | undefined;
  /** Between the agent of `us` and the hub. */
  let proxy: TcpProxy;
  let kubeconfig = "";

  const read = (cluster: string): Promise<ProgramResult> =>
    hub.run("cluster", "object", cluster, "ConfigMap", "prices", "-n", "shop", "-o", "json");
  const setPrice = (cluster: string, price: string): Promise<unknown> =>
    real
      .connect(cluster)
      .ask("PUT", `${configMaps}/prices`, { body: { metadata: { name: "prices" }, data: { price } } });
  /**
   * Begins the agent of `us` by hand, in place of the one before. It is not begun anew by anybody. The cluster falls
   * each time, three times in all: more would be flapping (HE6).
   */
  const startAgent = async (...flags: readonly string[]): Promise<BackgroundProgram> => {
    if (agent !== undefined) {
      await agent.end();
      await hub.view.untilState(us, "disconnected");
    }
    const { caFile } = hub.runFile();
    const hubUrl = `https://127.0.0.1:${proxy.port}`;
    const args = ["agent", "--cluster-id", us, "--hub", hubUrl, "--ca-file", caFile, "--log-format", "json"];
    const files = ["--join-token-file", join(folder.path, "join"), "--key-file", join(folder.path, "key.json")];
    agent = new BackgroundProgram({
      cwd: folder.path,
      args: [...args, ...files, "--kubeconfig", kubeconfig, "--context", us, ...flags],
      variables: quickPaces,
    });
    await hub.view.untilState(us, "live");
    return agent;
  };

  beforeAll(async () => {
    await Promise.all([real.start(), hub.start("hub", "--allow-loopback-imports")]);
    kubeconfig = /--kubeconfig (\S+)/.exec(real.program.stdout)?.[1] ?? "";
    for (const cluster of [eu, us])
      await real.connect(cluster).ask("POST", configMaps, { body: { metadata: { name: "prices" } } });
    proxy = await TcpProxy.open(Number(new URL(hub.runFile().hubUrl).port));
    const { stdout } = await hub.run("cluster", "join", us, "--token-only");
    writeFileSync(join(folder.path, "join"), stdout, { mode: 0o600 });
  });

  afterAll(async () => {
    await agent?.end();
    await proxy.close();
    await hub.close();
    await real.close();
    folder[Symbol.dispose]();
  });

  test("an imported cluster answers, though no agent is in it", async () => {
    const importing = ["cluster", "import", "--own-credential", "--kubeconfig", kubeconfig, "--context", eu];
    expect(await hub.run(...importing)).toMatchObject({ code: 0 });
    await hub.view.untilState(eu, "live");
    await setPrice(eu, "12");
    const { code, stdout } = await read(eu);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { kind: "ConfigMap", data: { price: "12" } }]);
  });

  test("[TU3][TU7] an agent without --object-reads is not asked: who asks is told at once what to do", async () => {
    const agent = await startAgent();
    expectRefusal(await read(us), 4, /the agent of us-east-1 reads no objects for users; run it with --object-reads/);
    expect(agent.logged("read an object for a user")).toEqual([]);
    expect(await agent.end()).toBe(0);
    await hub.view.untilState(us, "disconnected");
    expectRefusal(await read(us), 5, /the agent of us-east-1 is not connected/);
  });

  test("[TU10][TU11] an agent that may: answers, and writes down the tunnel as the hub does; killed while it is asked, it is unavailable at once", async () => {
    const agent = await startAgent("--object-reads");
    await setPrice(us, "13");
    const { code, stdout } = await read(us);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { data: { price: "13" } }]);
    const at = { cluster: us, user: "admin", resource: "configmaps", namespace: "shop", name: "prices", outcome: "OK" };
    const [asked] = hub.program.logged("object read for a user").slice(-1);
    expect(asked).toMatchObject(at);
    await eventually(() =>
      expect(agent.logged("read an object for a user")).toMatchObject([{ ...at, tunnel: asked?.["tunnel"] }]),
    );
    agent.send("SIGSTOP");
    const query = createClient(QueryService, hub.view.transport);
    const wanted = { cluster: us, kind: "configmaps", namespace: "shop", name: "prices" };
    const refused = expect(query.getObject(wanted)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await hub.view.cluster(us); // answered after the question was taken
    await agent.end("SIGKILL");
    await refused;
    await hub.view.untilState(us, "disconnected");
    expectRefusal(await read(us), 5, /the agent of us-east-1 is not connected/);
  });

  test("[TU4] an agent that holds its session and cannot come for the question says so in it: who asks is told at once, and the cluster stays live; then it answers", async () => {
    await startAgent("--object-reads");
    proxy.set("full");
    expectRefusal(
      await read(us),
      5,
      /the agent of us-east-1 could not answer: .*https:\/\/127\.0\.0\.1:\d+ cannot be reached/,
    );
    const { outcome, tookMs } = hub.program.logged("object read for a user").at(-1) ?? {};
    expect(outcome).toBe("UNAVAILABLE");
    expect(tookMs).toBeLessThan(tunnelDeadlineMs);
    expect(await hub.view.state(us)).toBe("live");
    proxy.set("open");
    expect(await read(us)).toMatchObject({ code: 0 });
  });

  test("[TU7] what the agent does not collect it does not read: kinds and namespaces left out, and Secrets though they are collected", async () => {
    await startAgent("--object-reads", "--kinds", "configmaps,secrets,namespaces", "--exclude-namespaces", "payments");
    await real.connect(us).ask("POST", "/api/v1/namespaces/shop/secrets", {
      body: { metadata: { name: "guarded" }, stringData: { key: "kept" } },
    });
    await hub.view.untilRow(us, "secrets shop/guarded");
    const object = (...args: readonly string[]): Promise<ProgramResult> => hub.run("cluster", "object", us, ...args);
    expectRefusal(
      await object("Secret", "guarded", "-n", "shop"),
      4,
      /the agent reads no Secrets for users; their values stay in the cluster/,
    );
    expectRefusal(
      await object("ConfigMap", "x", "-n", "payments"),
      3,
      /the agent does not collect namespace "payments"/,
    );
    expectRefusal(await object("Namespace", "payments"), 3, /the agent does not collect namespace "payments"/);
    expect(await object("Namespace", "shop")).toMatchObject({ code: 0 });
  });
});
