// SPDX-License-Identifier: Apache-2.0
// Writers at full speed against our API server, whose process is killed again and again on the same database. What is
// written and for how long follows from the seed; where a kill falls is up to the machine.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSeededRandom, type Random } from "../../src/base/random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { KubeClient } from "../kubernetes/kube-client.ts";
import { CrashInformer, type InformerServer } from "../support/api-crash-informer.ts";
import { type ConfigMap, CrashWriter, collection, namespace } from "../support/api-crash-writer.ts";
import { runUntilKilled, startWriter } from "../support/store-crash-run.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const seed = "apiserver-crash-1";
const killCount = 15;
const writerCount = 24;
const token = "token";

interface RunningServer extends InformerServer, AsyncDisposable {
  readonly client: KubeClient;
  kill(): Promise<void>;
}

async function startServer(folder: string): Promise<RunningServer> {
  const process = startWriter("api-crash-server", [folder, token]);
  await process.waitForLines(1);
  const url = process.lines()[0] ?? "";
  const ca = await readFile(join(folder, "ca.crt"), "utf8");
  let isKilled = false;
  const client = new KubeClient({ url, ca, token, connectionCount: writerCount });
  const kill = async (): Promise<void> => {
    isKilled = true;
    await process.kill();
    client.close();
  };
  return {
    url,
    ca,
    token,
    client,
    kill,
    async [Symbol.asyncDispose]() {
      if (!isKilled) await kill();
    },
  };
}

/** Writers and informers that live across all kills. */
class Crowd {
  readonly writers: readonly CrashWriter[];
  readonly informers = [new CrashInformer(""), new CrashInformer("app%3Dweb")];
  #newestVersion = 0;

  constructor(random: Random & { fork(name: string): Random }) {
    this.writers = Array.from(
      { length: writerCount },
      (_, index) => new CrashWriter(`w${index}`, random.fork(`w${index}`)),
    );
  }

  get ackCount(): number {
    return this.writers.reduce((sum, writer) => sum + writer.ackCount, 0);
  }

  async begin({ client }: RunningServer): Promise<void> {
    await client.ask("POST", "/api/v1/namespaces", { body: { metadata: { name: namespace } } });
    for (const informer of this.informers) await informer.list(client);
  }

  /** Throws unless what the server has is what was acknowledged, and no version is older than one that was told. */
  async check({ client }: RunningServer): Promise<readonly ConfigMap[]> {
    const answer = await client.ask("GET", collection);
    const { metadata, items } = answer as { metadata: { resourceVersion: string }; items: readonly ConfigMap[] };
    const objects = new Map(
      items.filter(({ metadata: { name } }) => name.startsWith("w")).map((each) => [each.metadata.name, each]),
    );
    const revision = Number(metadata.resourceVersion);
    const told = [
      ...this.writers.map(({ newestVersion }) => newestVersion),
      ...this.informers.map((each) => each.revision),
    ];
    this.#newestVersion = Math.max(this.#newestVersion, ...told);
    if (revision < this.#newestVersion)
      throw new Error(`the server is at ${revision} and had told of ${this.#newestVersion}`);
    this.#newestVersion = revision;
    for (const writer of this.writers) writer.check(objects);
    return items;
  }

  /** Writes and watches until the server is killed: after so many answers, and that much later. */
  async run(server: RunningServer, kill: { readonly acks: number; readonly delayMs: number }): Promise<void> {
    let isKilled = false;
    const enough = Promise.withResolvers<void>();
    const target = this.ackCount + kill.acks;
    const onAck = (): void => {
      if (this.ackCount >= target) enough.resolve();
    };
    const watching = this.informers.map((informer) => informer.watch(server));
    const writing = this.writers.map((writer) => writer.writeOn(server.client, () => isKilled, onAck));
    const all = Promise.all([...writing, ...watching]);
    await Promise.race([enough.promise, all]);
    await Promise.race([systemClock.sleep(kill.delayMs), all]);
    isKilled = true;
    await server.kill();
    await all;
  }
}

describe("an API server that is killed", () => {
  test(`[AP16] ${killCount} kills: what was acknowledged is there, versions never go back, informers resume (seed ${seed})`, async () => {
    using folder = openTempFolder();
    const random = createSeededRandom(seed);
    const crowd = new Crowd(random);
    for (let kill = 1; kill <= killCount; kill += 1) {
      // Now and then it is killed before it has opened.
      if (random.int(5) === 0)
        await runUntilKilled("api-crash-server", [folder.path, token], { lines: 0, delayMs: random.int(400) });
      await using server = await startServer(folder.path);
      if (kill === 1) await crowd.begin(server);
      await crowd.check(server);
      await crowd.run(server, { acks: 100 + random.int(300), delayMs: random.int(20) });
    }
    await using server = await startServer(folder.path);
    const items = await crowd.check(server);
    const watching = crowd.informers.map((informer) => informer.watch(server));
    const stateOf = (each: readonly ConfigMap[]): readonly string[] =>
      each.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).toSorted();
    const web = items.filter(({ metadata: { labels } }) => labels?.["app"] === "web");
    await eventually(() => expect(crowd.informers[0]?.state).toEqual(stateOf(items)));
    await eventually(() => expect(crowd.informers[1]?.state).toEqual(stateOf(web)));
    await server.kill();
    await Promise.all(watching);
    // Without this the test could pass by writing nothing.
    expect(crowd.ackCount).toBeGreaterThanOrEqual(killCount * 100);
    expect(crowd.informers[0]?.eventCount).toBeGreaterThan(killCount * 100);
  }, 600_000);
});
