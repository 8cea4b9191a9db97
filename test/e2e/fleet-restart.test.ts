// SPDX-License-Identifier: Apache-2.0
// The whole of `flotilla up` dies and is begun anew on the same files: what was known is there at once, and is not sent
// again.
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BackgroundProgram } from "./fleet/background-program.ts";
import { eventually } from "./fleet/eventually.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";

const cluster = "eu-west-1";
const configMaps = "/api/v1/namespaces/shop/configmaps";

describe("flotilla up that was killed", () => {
  const fleet = new PlaygroundUp(1);
  /** Verbs that watch the hub from before its end until after its return. */
  const watches: BackgroundProgram[] = [];
  const watch = (...args: readonly string[]): BackgroundProgram => {
    const program = new BackgroundProgram({ cwd: dirname(fleet.dataDir), args });
    watches.push(program);
    return program;
  };

  beforeAll(async () => {
    await fleet.start();
    const client = fleet.connect(cluster);
    await fleet.hub.untilEqual(cluster, client);
    await watch("cluster", "watch").untilSays(cluster);
    const changes = watch("changes", "--follow");
    // Changes of before its first look are not shown.
    let madeCount = 0;
    await eventually(async () => {
      madeCount += 1;
      await client.ask("POST", configMaps, { body: { metadata: { name: `before-${madeCount}` } } });
      expect(changes.stdout).toContain("shop/before-");
    });
  });

  afterAll(async () => {
    await Promise.all(watches.map((program) => program.end("SIGKILL")));
    expect(await fleet.close()).toBe(0);
  });

  test("[N-29] has the rows of before with their age before any agent returns", async () => {
    const orphans = fleet.agentPids(cluster);
    // The playground never rests: once its agent is frozen, the rows do.
    for (const pid of orphans) process.kill(pid, "SIGSTOP");
    await fleet.hub.untilState(cluster, "disconnected");
    const before = await fleet.hub.rows(cluster);
    await fleet.program.end("SIGKILL");
    for (const pid of orphans) process.kill(pid, "SIGKILL");
    await fleet.startHub();
    // Until they are loaded it refuses to tell them.
    await eventually(async () => expect(await fleet.hub.rows(cluster)).toEqual(before));
    const { connection, rowCount } = await fleet.hub.cluster(cluster);
    expect(connection?.state).not.toBe("live");
    expect(Number(rowCount)).toBe(Object.keys(before).length);
    expect(Number(connection?.seenMsAgo)).toBeGreaterThan(0);
  });

  test("[L5] is sent only what changed when the agent returns", async () => {
    await fleet.start();
    const client = fleet.connect(cluster);
    const countSent = (): Promise<number> => fleet.hub.counter("flotilla_ingest_rows_total", cluster);
    let sentCount = 0;
    let rowCount = 0;
    // Equal, it comes to rest, but for the row that the playground itself changes now and then.
    await eventually(async () => {
      sentCount = await countSent();
      rowCount = Object.keys(await fleet.hub.untilEqual(cluster, client)).length;
      expect(await countSent()).toBe(sentCount);
    });
    // The playground lives on: Pods and what counts them may have changed meanwhile, its 200 other objects have not.
    expect(sentCount).toBeLessThan(0.25 * rowCount);
  });

  test("[N-42] goes on from there", async () => {
    const client = fleet.connect(cluster);
    await client.ask("POST", configMaps, { body: { metadata: { name: "after" } } });
    await fleet.hub.untilRow(cluster, "configmaps shop/after");
    await eventually(async () => expect(await fleet.hub.state(cluster)).toBe("live"));
  });

  test("[CL2] is watched by the verbs that watched it before, which say that it was lost and is back", async () => {
    const [clusters, changes] = watches;
    await changes?.untilSays("shop/after");
    expect(changes?.stderr).toMatch(/the hub was restarted: changes between \S+Z and \S+Z may be missing/);
    await eventually(() => expect(clusters?.stdout).toMatch(/disconnected[^]*\n\S+ {2}live\n/));
    for (const program of watches) {
      expect(program.stderr).toMatch(/the hub was lost .*\n.*the hub answers again; the watch continues\n/);
      expect(await program.end("SIGINT")).toBe(0);
    }
  });
});
