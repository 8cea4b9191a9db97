// SPDX-License-Identifier: Apache-2.0
// A playground cluster that goes away in every way a process can see: the fleet says so, keeps what it knew, and is
// right again after.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../kubernetes/kube-client.ts";
import { eventually } from "./fleet/eventually.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";

const [eu, us] = ["eu-west-1", "us-east-1"] as const;
const configMaps = "/api/v1/namespaces/shop/configmaps";

interface Listed {
  readonly clusters: readonly {
    readonly id: string;
    readonly connection: { readonly state: string; readonly reason: string; readonly message: string };
    readonly session: { readonly isActive: boolean; readonly agentId: string; readonly epoch: string };
  }[];
}

// Each cluster falls twice: more would be flapping, which is shown live later (HE6).
describe("a cluster of the fleet that goes away", () => {
  const fleet = new PlaygroundUp(2);
  let client: KubeClient;
  let other: KubeClient;

  const connectionOf = async (id: string): Promise<Listed["clusters"][number]["connection"] | undefined> =>
    ((await fleet.json("cluster", "list")) as Listed).clusters.find((each) => each.id === id)?.connection;

  /** Counts the rows again and again until `until` is over; the least that was seen. */
  const leastRowCount = async (id: string, until: Promise<unknown>): Promise<number> => {
    const over = new AbortController();
    let least = Number.POSITIVE_INFINITY;
    const counting = (async () => {
      while (!over.signal.aborted) least = Math.min(least, Object.keys(await fleet.hub.rows(id)).length);
    })();
    await Promise.all([until.finally(() => over.abort()), counting]);
    return least;
  };

  beforeAll(async () => {
    await fleet.start();
    client = fleet.connect(eu);
    other = fleet.connect(us);
    await other.ask("POST", configMaps, { body: { metadata: { name: "doomed" } } });
    await other.ask("POST", configMaps, { body: { metadata: { name: "changed" }, data: { a: "1" } } });
    await fleet.hub.untilRow(us, "configmaps shop/doomed");
    await fleet.hub.untilEqual(us, other);
    await fleet.hub.untilEqual(eu, client);
  });

  afterAll(async () => {
    expect(await fleet.close()).toBe(0);
  });

  test("[R-1][R-2][R-4][R-12][N-49][SE45] a stopped API server: disconnected with its reason, its agent can be asked to try now, rows kept with their age, live again by itself", async () => {
    const rowCount = Object.keys(await fleet.hub.rows(eu)).length;
    expect(await fleet.run("playground", "stop", eu)).toMatchObject({ code: 0 });
    await fleet.hub.untilState(eu, "disconnected");
    const kept = await fleet.hub.rows(eu);
    // A first probe may have been under way when it stopped; the next one finds out why.
    await eventually(async () => {
      const connection = await connectionOf(eu);
      expect(connection).toMatchObject({ state: "disconnected", reason: "tcp" });
      expect(connection?.message).toMatch(/API server/);
    });
    const { connection, kinds, session } = await fleet.hub.cluster(eu);
    expect([connection?.state, session?.isActive]).toEqual(["disconnected", true]);
    expect(await fleet.json("cluster", "retry", eu)).toMatchObject({
      id: eu,
      wasAsked: true,
      sentence: expect.stringContaining("asked to try its API server now") as unknown,
    });
    await eventually(async () => {
      const pods = (await fleet.hub.cluster(eu)).kinds.find(({ resource }) => resource === "pods");
      expect(Number(pods?.currentMsAgo)).toBeGreaterThan(0);
    });
    expect(kinds.length).toBeGreaterThan(20);
    // What the agent had seen before the stop may come after it: newer rows and more of them, never fewer.
    expect(Object.keys(await fleet.hub.rows(eu))).toEqual(expect.arrayContaining(Object.keys(kept)));
    await fleet.hub.untilState(us, "live");
    expect(await fleet.run("playground", "start", eu)).toMatchObject({ code: 0 });
    const least = await leastRowCount(eu, fleet.hub.untilEqual(eu, client));
    expect(least).toBeGreaterThan(0.9 * rowCount);
  });

  test("[R-9][R-4] a network that swallows everything is noticed by time alone, and rows are equal again after it heals", async () => {
    expect(await fleet.run("playground", "cut", eu, "--silent")).toMatchObject({ code: 0 });
    await fleet.hub.untilState(eu, "disconnected");
    expect(await connectionOf(eu)).toMatchObject({ state: "disconnected", reason: "timeout" });
    expect(await fleet.run("playground", "heal", eu)).toMatchObject({ code: 0 });
    await fleet.hub.untilEqual(eu, client);
  });

  const costs = ["losses", "reconnect_attempts", "reconnect_seconds", "relisted_objects", "relisted_bytes"] as const;
  const costOf = async (cluster: string): Promise<readonly number[]> =>
    Promise.all(costs.map((cost) => fleet.hub.counter(`flotilla_cluster_${cost}_total`, cluster)));

  test("[N-42][N-45][R-33] what was made, changed and deleted while nobody looked is known after it, and what that cost is counted", async () => {
    const before = await costOf(us);
    // The agent is frozen, not the network: this test needs its own way to the API server.
    const pids = fleet.agentPids(us);
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    await fleet.hub.untilState(us, "disconnected");
    expect(await connectionOf(us)).toMatchObject({ reason: "agentLost" });
    const { clusters } = (await fleet.json("cluster", "list")) as Listed;
    expect(clusters.map(({ id, session }) => [id, session.isActive])).toEqual([
      [eu, true],
      [us, false],
    ]);
    await other.ask("DELETE", `${configMaps}/doomed`);
    await other.ask("PUT", `${configMaps}/changed`, { body: { metadata: { name: "changed" }, data: { b: "2" } } });
    await other.ask("POST", configMaps, { body: { metadata: { name: "made" } } });
    expect(Object.hasOwn(await fleet.hub.rows(us), "configmaps shop/doomed")).toBe(true);
    for (const pid of pids) process.kill(pid, "SIGCONT");
    await fleet.hub.untilRow(us, "configmaps shop/doomed", false);
    const rows = await fleet.hub.untilEqual(us, other);
    expect(rows["configmaps shop/changed"]).toMatchObject({ columns: { keys: ["b"] } });
    expect(rows["configmaps shop/made"]).toBeDefined();
    await fleet.hub.untilState(us, "live");
    const cost = (await costOf(us)).map((now, at) => now - (before[at] ?? 0));
    expect(cost[0]).toBe(1);
    for (const [at, name] of costs.entries()) expect(cost[at], name).toBeGreaterThan(0);
  });

  test("[N-48][N-49] a killed agent is begun anew and takes its cluster over with a higher epoch, and no row goes missing meanwhile", async () => {
    const before = await fleet.hub.cluster(us);
    const rowCount = Object.keys(await fleet.hub.rows(us)).length;
    for (const pid of fleet.agentPids(us)) process.kill(pid, "SIGKILL");
    const back = eventually(async () => {
      const { session, connection } = await fleet.hub.cluster(us);
      expect(session?.epoch).toBeGreaterThan(before.session?.epoch ?? 0n);
      expect(connection?.state).toBe("live");
    });
    expect(await leastRowCount(us, back)).toBeGreaterThanOrEqual(rowCount - 2);
    expect(fleet.program.logged("agent exited; restarting it")).not.toEqual([]);
    await fleet.hub.untilEqual(us, other);
  });
});
