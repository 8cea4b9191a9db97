// SPDX-License-Identifier: Apache-2.0
// One object, whole, as its cluster has it now: read through the agent, as the user, and kept nowhere.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import type { KubeClient } from "../kubernetes/kube-client.ts";
import { findStoredText } from "../support/stored-text.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { eventually } from "./fleet/eventually.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";
import type { ProgramResult } from "./run-program.ts";

const [eu, us] = ["eu-west-1", "us-east-1"] as const;
const pods = "/api/v1/namespaces/shop/pods";
const configMaps = "/api/v1/namespaces/shop/configmaps";
const marker = "kept-in-the-cluster-and-nowhere-else";

/** A Pod with the marker in a variable of its container. */
function guardedPod(name: string): object {
  const env = [{ name: "PASSPHRASE", value: marker }];
  return { metadata: { name }, spec: { containers: [{ name: "app", image: "example.com/app:1", env }] } };
}

describe("an object of a cluster of the fleet", () => {
  const fleet = new PlaygroundUp(2);
  const folder = openTempFolder();
  let client: KubeClient;

  const read = (...args: readonly string[]): Promise<ProgramResult> => fleet.run("cluster", "object", ...args);
  /** The object as the hub's API gives it; rejects where it is refused. */
  const readWhole = async (cluster: string, kind: string, name: string): Promise<unknown> => {
    const query = createClient(QueryService, fleet.hub.transport);
    return JSON.parse((await query.getObject({ cluster, kind, namespace: "shop", name })).object) as unknown;
  };
  /** Flags that ask as somebody else, with a new token of these groups. */
  const asUser = async (user: string, ...groups: readonly string[]): Promise<readonly string[]> => {
    const flags = groups.length === 0 ? [] : ["--groups", groups.join(",")];
    const { code, stdout } = await fleet.run("token", "create", "--user", user, ...flags);
    expect(code).toBe(0);
    const file = join(folder.path, user);
    writeFileSync(file, stdout, { mode: 0o600 });
    return ["--token", `file:${file}`];
  };
  const setData = (to: KubeClient, name: string, data: Readonly<Record<string, string>>): Promise<unknown> =>
    to.ask("PUT", `${configMaps}/${name}`, { body: { metadata: { name }, data } });

  /**
   * That the marker is in nothing that hub and agents keep. The Pod's name is in a row of the same store, and is found:
   * so would the marker be.
   */
  const expectKeptNowhere = (): void => {
    const { dataDir } = fleet;
    expect(findStoredText(dataDir, "guarded", ["playground"]).values).toContain("fleet.db: segments.bytes");
    expect(findStoredText(dataDir, marker, ["playground"])).toEqual({ files: [], values: [] });
    expect(findStoredText(dataDir, marker, []).files).not.toEqual([]);
  };

  beforeAll(async () => {
    await fleet.start();
    client = fleet.connect(eu);
    await client.ask("POST", pods, { body: guardedPod("guarded") });
    for (const cluster of [eu, us])
      await fleet
        .connect(cluster)
        .ask("POST", configMaps, { body: { metadata: { name: "prices" }, data: { a: "1" } } });
    await fleet.hub.untilRow(eu, "pods shop/guarded");
    await fleet.hub.untilRow(us, "configmaps shop/prices");
    await fleet.hub.untilState(eu, "live");
    await fleet.hub.untilState(us, "live");
  });

  afterAll(async () => {
    expect(await fleet.close()).toBe(0);
    folder[Symbol.dispose]();
  });

  test("[N-2] a marker in a Pod's variable is in the detail view, and in no file, row, change or line of a log of hub and agents", async () => {
    for (const output of ["text", "json", "yaml"]) {
      const { code, stdout, stderr } = await read(eu, "Pod", "guarded", "-n", "shop", "-o", output);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(marker);
    }
    expect(await readWhole(eu, "pods", "guarded")).toEqual(await client.ask("GET", `${pods}/guarded`));

    expectKeptNowhere();
    for (const args of [
      ["cluster", "rows", eu],
      ["cluster", "state", eu],
      ["changes", "-o", "json"],
    ]) {
      const { stdout } = await fleet.run(...args);
      expect(stdout).toContain("guarded");
      expect(stdout).not.toContain(marker);
    }
    const metrics = await (await fleet.hub.fetch("/metrics")).text();
    expect(metrics).toContain("tunnels");
    for (const text of [metrics, fleet.program.stdout, fleet.program.stderr]) expect(text).not.toContain(marker);
  });

  test("[TU11] the hub writes down who asked for what, and what came of it", async () => {
    await eventually(() => {
      expect(fleet.program.logged("object read for a user").at(-1)).toMatchObject({
        requestId: expect.stringMatching(/^req_/) as unknown,
        tunnel: expect.stringMatching(/^tun_/) as unknown,
        cluster: eu,
        user: "admin",
        resource: "pods",
        namespace: "shop",
        name: "guarded",
        outcome: "OK",
      });
    });
  });

  test("a field changed just now is in the answer, each time", async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      await setData(client, "prices", { turn: String(turn) });
      expect(await readWhole(eu, "ConfigMap", "prices")).toMatchObject({ data: { turn: String(turn) } });
    }
    await client.ask("DELETE", `${configMaps}/prices`);
    expectRefusal(await read(eu, "ConfigMap", "prices", "-n", "shop"), 3, /configmaps "prices" not found/);
  });

  test("[PG12][L17] counts are of what the cluster's RBAC shows the user: the role view has ConfigMaps and no Nodes", async () => {
    const viewer = await asUser("vic", "flotilla:viewers");
    const shown = await fleet.run("cluster", "get", eu, ...viewer);
    expect(shown.stdout).toMatch(/^configmaps +watching +[1-9]/m);
    expect(shown.stdout).toMatch(/^nodes +watching +(0|-)/m);
    const kinds = (await fleet.json("cluster", "get", eu)) as { kinds: { resource: string; rowCount: number }[] };
    expect(kinds.kinds.find(({ resource }) => resource === "nodes")?.rowCount).toBeGreaterThan(0);
  });

  test("[TU8] a viewer sees what the cluster's RBAC shows them, and is told the API server's own sentence about the rest", async () => {
    const viewer = await asUser("vera", "flotilla:viewers");
    expect((await read(eu, "pod", "guarded", "-n", "shop", ...viewer)).stdout).toContain(marker);
    const node = String(
      ((await client.ask("GET", "/api/v1/nodes")) as { items: { metadata: { name: string } }[] }).items[0]?.metadata
        .name,
    );
    expect(await read(eu, "node", node)).toMatchObject({ code: 0 });
    expectRefusal(
      await read(eu, "node", node, ...viewer),
      4,
      /^flotilla: nodes "[^"]+" is forbidden: User "vera" cannot get resource "nodes" in API group "" at the cluster scope$/m,
    );
  });

  test("[TU10] somebody without a role at the hub gets nothing, and does not learn which clusters there are", async () => {
    const stranger = await asUser("otto");
    const refused = await read(eu, "pod", "guarded", "-n", "shop", ...stranger);
    expectRefusal(refused, 4, /otto/);
    const other = await read("nowhere", "pod", "guarded", "-n", "shop", ...stranger);
    expect(other.stderr.replaceAll("nowhere", eu)).toBe(refused.stderr);
  });

  test("what cannot be asked is refused in one sentence that says what to do", async () => {
    const wrong: readonly (readonly [args: readonly string[], code: number, sentence: RegExp])[] = [
      [["nowhere", "Pod", "x", "-n", "shop"], 3, /there is no cluster "nowhere"; `flotilla cluster list`/],
      [[eu, "Bogus", "x", "-n", "shop"], 3, /has no kind "Bogus".*`flotilla cluster get eu-west-1`/],
      [[eu, "Secret", "x", "-n", "shop"], 3, /has no kind "Secret"/],
      [[eu, "Pod", "x"], 2, /an object of pods lies in a namespace; name it/],
      [[eu, "Node", "x", "-n", "shop"], 2, /an object of nodes lies in no namespace; name none/],
      [[eu, "Pod", "../../secrets/x", "-n", "shop"], 2, /"\.\.\/\.\.\/secrets\/x" is not the name of an object/],
      [[eu, "Pod", "x", "-n", "shop/secrets"], 2, /is not the name of an object/],
      [[eu, "Pod", "nope", "-n", "shop"], 3, /^flotilla: pods "nope" not found$/m],
      [[eu, "Pod"], 2, /NAME is missing/],
    ];
    for (const [args, code, sentence] of wrong) expectRefusal(await read(...args), code, sentence);
  });

  test("rows of a kind are asked for by any of its names, and those of none are refused", async () => {
    expectRefusal(await fleet.run("cluster", "rows", eu, "--kind", "bogus"), 3, /has no kind "bogus"/);
    const ofPods = await fleet.run("cluster", "rows", eu, "--kind", "pods");
    expect(ofPods.stdout).toContain('"name":"guarded"');
    for (const name of ["Pod", "PODS", "po", "pods.v1"]) {
      const { code, stdout } = await fleet.run("cluster", "rows", eu, "--kind", name);
      expect([
        code,
        new Set(
          stdout
            .trimEnd()
            .split("\n")
            .map((line) => (JSON.parse(line) as { kind: string }).kind),
        ),
      ]).toEqual([0, new Set(["Pod"])]);
    }
  });

  test("a paused cluster answers: what is paused are its rows", async () => {
    expect(await fleet.run("cluster", "pause", us)).toMatchObject({ code: 0 });
    await eventually(async () => expect((await fleet.hub.cluster(us)).isPaused).toBe(true));
    const other = fleet.connect(us);
    await setData(other, "prices", { paused: "yes" });
    expect(await readWhole(us, "configmaps", "prices")).toMatchObject({ data: { paused: "yes" } });
    expect(await fleet.run("cluster", "resume", us)).toMatchObject({ code: 0 });
  });

  test("with the cluster's API server down it is unavailable, in one sentence; after it is back a field changed just now is in the answer", async () => {
    const path = ["us-east-1", "configmaps", "prices", "-n", "shop"] as const;
    expect(await fleet.run("playground", "stop", us)).toMatchObject({ code: 0 });
    expectRefusal(await read(...path), 5, /^flotilla: the API server of the cluster does not answer its agent \(tcp\)/);
    expect(await fleet.run("playground", "start", us)).toMatchObject({ code: 0 });
    await fleet.hub.untilState(us, "live");
    await setData(fleet.connect(us), "prices", { after: "stop" });
    expect(await readWhole(us, "configmaps", "prices")).toMatchObject({ data: { after: "stop" } });
  });

  test("with a cluster that swallows everything it is unavailable, in one sentence", async () => {
    expect(await fleet.run("playground", "cut", us, "--silent")).toMatchObject({ code: 0 });
    expectRefusal(
      await read(us, "configmaps", "prices", "-n", "shop"),
      5,
      /the API server of the cluster does not answer its agent|agent of us-east-1/,
    );
    expect(await fleet.run("playground", "heal", us)).toMatchObject({ code: 0 });
    await eventually(async () => void (await readWhole(us, "configmaps", "prices")));
  });

  test("with a frozen agent it is unavailable, and answered again when the agent goes on", async () => {
    const pids = fleet.agentPids(us);
    expect(pids).toHaveLength(1);
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    expectRefusal(await read(us, "configmaps", "prices", "-n", "shop"), 5, /us-east-1/);
    await fleet.hub.untilState(us, "disconnected");
    expectRefusal(await read(us, "configmaps", "prices", "-n", "shop"), 5, /agent of us-east-1 is not connected/);
    for (const pid of pids) process.kill(pid, "SIGCONT");
    await eventually(async () => void (await readWhole(us, "configmaps", "prices")));
  });

  test("[N-2] after a hub restart it is answered as before, and still kept nowhere", async () => {
    await fleet.start();
    await fleet.hub.untilState(eu, "live");
    expect(JSON.stringify(await readWhole(eu, "pods", "guarded"))).toContain(marker);
    expectKeptNowhere();
    expect(fleet.program.stdout + fleet.program.stderr).not.toContain(marker);
  });
});
