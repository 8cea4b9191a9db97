// SPDX-License-Identifier: Apache-2.0
// Clusters that a hub reaches by kubeconfig alone: the playground clusters of another process, which has nothing to do
// with this hub.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { openTempFolder } from "../support/temp-folder.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { flotilla } from "./fleet/background-program.ts";
import { eventually } from "./fleet/eventually.ts";
import type { HubView } from "./fleet/hub-view.ts";
import { ImportingHub } from "./fleet/importing-hub.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";
import type { ProgramResult } from "./run-program.ts";

const [eu, us] = ["eu-west-1", "us-east-1"] as const;

interface Config {
  clusters: { name: string; cluster: Record<string, unknown> }[];
  users: { name: string; user: Record<string, unknown> }[];
  contexts: { name: string; context: Record<string, unknown> }[];
  "current-context": string;
}

describe("clusters that a hub reaches by kubeconfig", () => {
  const real = new PlaygroundUp(2);
  const hub = new ImportingHub();
  const folder = openTempFolder();
  let kubeconfig = "";

  /** The user's kubeconfig with a change, as a file of its own. */
  const changed = (name: string, change: (config: Config) => void): string => {
    const config = parse(readFileSync(kubeconfig, "utf8")) as Config;
    change(config);
    const file = join(folder.path, name);
    writeFileSync(file, stringify(config));
    return file;
  };
  /** Until what happens in the cluster from now on reaches the hub. */
  const untilFollowed = async (view: HubView, cluster: string, name: string): Promise<void> => {
    const path = "/api/v1/namespaces/shop/configmaps";
    await real.connect(cluster).ask("POST", path, { body: { metadata: { name } } });
    await view.untilRow(cluster, `configmaps shop/${name}`);
  };
  const untilLost = (view: HubView, cluster: string): Promise<void> =>
    eventually(async () => expect(["stale", "disconnected"]).toContain(await view.state(cluster)));
  const importing = (...args: readonly string[]): Promise<ProgramResult> =>
    hub.run("cluster", "import", "--own-credential", ...args);

  beforeAll(async () => {
    await Promise.all([real.start(), hub.start("hub", "--allow-loopback-imports")]);
    kubeconfig = /--kubeconfig (\S+)/.exec(real.program.stdout)?.[1] ?? "";
  });

  afterAll(async () => {
    expect(await hub.close()).toBe(0);
    await real.close();
    folder[Symbol.dispose]();
  });

  test("[Q-20][Q-31] imports every context that fits, and has of each the rows of its API server with no agent in it", async () => {
    const { code, stdout, stderr } = await importing(
      "--kubeconfig",
      kubeconfig,
      "--all-contexts",
      "*-1",
      "--region",
      "r1",
    );
    expect([code, stdout, stderr]).toEqual([0, `${eu} is imported\n${us} is imported\n`, ""]);
    await hub.view.untilEqual(eu, real.connect(eu));
    await hub.view.untilEqual(us, real.connect(us));
    expect(await hub.view.cluster(eu)).toMatchObject({ source: "kubeconfig", region: "r1", isPending: false });
  });

  test("[L18] keeps the credential encrypted, and neither answers nor logs it", async () => {
    const token = String((parse(readFileSync(kubeconfig, "utf8")) as Config).users[0]?.user["token"]);
    expect(token.length).toBeGreaterThan(10);
    expect(hub.filesWith(token)).toEqual([]);
    expect(hub.filesWith(Buffer.from(token).toString("base64"))).toEqual([]);
    expect((await hub.run("cluster", "get", eu, "-o", "json")).stdout).not.toContain(token);
    expect(hub.program.stderr).not.toContain(token);
  });

  test("[R-3] notices within seconds that an API server stopped, and that it is back", async () => {
    expect(await real.run("playground", "stop", eu)).toMatchObject({ code: 0 });
    await untilLost(hub.view, eu);
    expect((await hub.view.cluster(eu)).connection?.message).not.toBe("");
    await hub.view.untilState(us, "live");
    expect(await real.run("playground", "start", eu)).toMatchObject({ code: 0 });
    await untilFollowed(hub.view, eu, "after-stop");
    await hub.view.untilEqual(eu, real.connect(eu));
  });

  test("[Q-26] a cluster that hangs delays no other: each has a process of its own", async () => {
    expect(hub.agentPids(eu)).toHaveLength(1);
    expect(hub.agentPids(us)).toHaveLength(1);
    expect(await real.run("playground", "cut", eu, "--silent")).toMatchObject({ code: 0 });
    await untilLost(hub.view, eu);
    await untilFollowed(hub.view, us, "meanwhile");
    await hub.view.untilState(us, "live");
    expect(["stale", "disconnected"]).toContain(await hub.view.state(eu));
    expect(await real.run("playground", "heal", eu)).toMatchObject({ code: 0 });
    await untilFollowed(hub.view, eu, "after-cut");
    await hub.view.untilEqual(eu, real.connect(eu));
  });

  test("the agents of imported clusters come back with the hub", async () => {
    expect(await hub.stop()).toBe(0);
    await hub.start("hub", "--allow-loopback-imports");
    await hub.view.untilEqual(eu, real.connect(eu));
    await hub.view.untilState(us, "live");
  });

  test("[R-11] another import of the same id replaces the credential while the hub runs, and a wrong one leaves the old", async () => {
    const [before] = hub.agentPids(eu);
    const wrong = changed("wrong.yaml", ({ users }) => {
      for (const { user } of users) user["token"] = "not-a-token-of-this-cluster";
    });
    expectRefusal(
      await importing("--kubeconfig", wrong, "--context", eu),
      2,
      /cannot use the cluster of context "eu-west-1"/,
    );
    expectRefusal(await importing("--kubeconfig", kubeconfig, "--context", us, "--as", eu), 6, /leads to one with uid/);
    expect(hub.agentPids(eu)).toEqual([before]);
    const tokenFile = join(folder.path, "token");
    const other = changed("other.yaml", ({ users, contexts }) => {
      const name = contexts.find((context) => context.name === eu)?.context["user"];
      const user = users.find((each) => each.name === name)?.user ?? {};
      writeFileSync(tokenFile, `${String(user["token"])}\n`);
      user["tokenFile"] = "token";
      delete user["token"];
      for (const context of contexts) context.name = `Admin@${context.name}`;
    });
    expect(await importing("--kubeconfig", other, "--context", `Admin@${eu}`, "--as", eu)).toMatchObject({ code: 0 });
    await eventually(() => {
      expect(hub.agentPids(eu)).toHaveLength(1);
      expect(hub.agentPids(eu)).not.toEqual([before]);
    });
    await hub.view.untilState(eu, "live");
  });

  test("[KU7] says in one sentence what cannot be imported, and stores nothing", async () => {
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "aws", interactiveMode: "Never" };
    const file = changed("odd.yaml", ({ clusters, users, contexts }) => {
      const context = { ...contexts[0]?.context };
      users.push({ name: "exec", user: { exec } }, { name: "gone", user: { tokenFile: "nowhere" } });
      users.push({ name: "provider", user: { "auth-provider": { name: "gcp" } } });
      clusters.push({ name: "link", cluster: { server: "https://169.254.169.254" } });
      contexts.push({ name: "exec", context: { ...context, user: "exec" } });
      contexts.push({ name: "gone", context: { ...context, user: "gone" } });
      contexts.push({ name: "provider", context: { ...context, user: "provider" } });
      contexts.push({ name: "link", context: { ...context, cluster: "link" } });
      contexts.push({ name: "___", context });
    });
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ["--context", "exec"],
        /context "exec" gets its credential from an exec plugin \(exec\), which a hub does not run/,
      ],
      [["--context", "provider"], /from an auth provider \(auth-provider\), which a hub does not run/],
      [["--context", "gone"], /context "gone" names .*nowhere as tokenFile, which cannot be read/],
      [["--context", "link"], /may not have a link-local address as its target/],
      [["--context", "___"], /context "___" would become "", which is not a valid cluster id.*--as/],
      [["--context", "none"], /the kubeconfig has no context "none"/],
      [["--context", eu, "--as", "A_b"], /--as/],
      [["--all-contexts", "prod-*"], /no context matches "prod-\*"/],
      [["--context", eu, "--all-contexts", "*"], /exclude each other/],
    ];
    for (const [args, sentence] of wrong) expectRefusal(await importing("--kubeconfig", file, ...args), 2, sentence);
    expectRefusal(await importing("--kubeconfig", "nowhere.yaml"), 2, /the kubeconfig nowhere\.yaml does not exist/);
    const { stdout } = await hub.run("cluster", "list", "-o", "json");
    expect((JSON.parse(stdout) as { clusters: { id: string }[] }).clusters.map(({ id }) => id)).toEqual([eu, us]);
  });

  test("removing one ends its agent and deletes its credential; it can be imported again", async () => {
    expect(await hub.run("cluster", "remove", us, "--yes")).toMatchObject({ code: 0 });
    await eventually(() => expect(hub.agentPids(us)).toEqual([]));
    await eventually(() => expect(hub.filesWith("private-key.pem").filter((path) => path.includes(us))).toEqual([]));
    expect(await importing("--kubeconfig", kubeconfig, "--context", us)).toMatchObject({ code: 0 });
    await hub.view.untilEqual(us, real.connect(us));
  });

  test("a cluster that does not answer is imported, says why it is not there, and is followed as soon as it answers", async () => {
    expect(await hub.run("cluster", "remove", us, "--yes")).toMatchObject({ code: 0 });
    await eventually(() => expect(hub.agentPids(us)).toEqual([]));
    expect(await real.run("playground", "stop", us)).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await importing("--kubeconfig", kubeconfig, "--context", us);
    expect([code, stdout]).toEqual([0, `${us} is imported\n`]);
    expect(stderr).toContain(`${us} does not answer yet`);
    await eventually(async () => {
      const { connection } = await hub.view.cluster(us);
      expect([connection?.state, connection?.reason]).toEqual(["disconnected", "tcp"]);
    });
    expect(await real.run("playground", "start", us)).toMatchObject({ code: 0 });
    await hub.view.untilEqual(us, real.connect(us));
    await hub.view.untilState(us, "live");
  });

  test("[KU7][CL14] a hub takes no cluster on its own loopback address unless it was told to, and says that it has no playground", async () => {
    const plain = new ImportingHub();
    onTestFinished(async () => void (await plain.close()));
    await plain.start("hub");
    const args = ["cluster", "import", "--kubeconfig", kubeconfig, "--context", eu];
    expectRefusal(
      await plain.run(...args),
      2,
      /may not have a loopback address.*start the hub with --allow-loopback-imports/,
    );
    const namespace = await real.connect(eu).send("GET", "/api/v1/namespaces/flotilla-import");
    expect(namespace.status).toBe(404); // refused before anything was made in the cluster
    expect(JSON.parse((await plain.run("cluster", "list", "-o", "json")).stdout)).toEqual({ clusters: [] });
    expectRefusal(await plain.run("playground", "list"), 3, /this hub has no playground clusters/);
  });

  test("[R-3] up adopts the contexts that fit, without playgrounds, and notices that an API server stopped", async () => {
    const up = new ImportingHub();
    onTestFinished(async () => void (await up.close()));
    await up.start("up", "--clusters", "0", "--kubeconfig", kubeconfig, "--context", "us-*");
    await eventually(async () => expect(await up.view.state(us).catch(() => "unknown")).toBe("live"));
    await up.view.untilEqual(us, real.connect(us));
    expect((await up.view.cluster(us)).source).toBe("adopted");
    expect(up.runFile()).toMatchObject({ clusters: [], adopted: [{ id: us, context: us, kubeconfig }] });
    expect(await real.run("playground", "stop", us)).toMatchObject({ code: 0 });
    await untilLost(up.view, us);
    expect(await real.run("playground", "start", us)).toMatchObject({ code: 0 });
    await untilFollowed(up.view, us, "after-adoption");
    await up.view.untilEqual(us, real.connect(us));
    expect(await up.stop()).toBe(0);
  });

  test("up says in one sentence which contexts it cannot adopt, and opens nothing", async () => {
    const file = changed("named.yaml", ({ contexts }) => {
      for (const context of contexts) context.name = `admin@${context.name}`;
    });
    const up = (...args: readonly string[]): Promise<ProgramResult> =>
      flotilla(folder.path, ["up", "--clusters", "0", ...args]);
    expectRefusal(
      await up("--kubeconfig", file, "--context", "*"),
      2,
      /context "admin@eu-west-1" .* cannot be a cluster name.*rename-context/,
    );
    expectRefusal(
      await up("--kubeconfig", kubeconfig, "--context", "prod-*"),
      2,
      /no context of .* matches --context "prod-\*"/,
    );
    expectRefusal(await up("--context", "prod-*"), 2, /--context is given without --kubeconfig/);
    expectRefusal(await up("--kubeconfig", "nowhere.yaml"), 2, /the kubeconfig nowhere\.yaml does not exist/);
  });
});
