// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FlotillaError } from "../base/error.ts";
import type { Random } from "../base/random.ts";
import type { WorkerPort } from "../base/worker-port.ts";
import { openWorkerPort, workerModule } from "../base/worker-port.ts";
import type { Trouble, TroubleName } from "./controllers/trouble.ts";
import type { PlaygroundCluster, PlaygroundClusterInfo, PlaygroundClusterOptions } from "./playground-cluster.ts";
import type { NetworkState } from "./simulated-network.ts";

export interface PlaygroundOptions {
  /** Each cluster has its own folder below it. */
  readonly folder: string;
  readonly clusterCount: number;
  readonly random: Random;
  /** Called after each cluster has started, with the number of running clusters. */
  readonly onStarted?: (startedCount: number) => void;
  /** Clusters that have not begun to start when it aborts are skipped. */
  readonly signal?: AbortSignal;
}

/** The current state of a cluster. */
export interface PlaygroundState {
  readonly name: string;
  readonly region: string;
  readonly url: string;
  readonly ca: string;
  readonly adminToken: string;
  readonly isRunning: boolean;
  readonly network: NetworkState;
  /** The active troubles; for a stopped cluster, those at its stop. */
  readonly troubles: readonly Trouble[];
}

interface Member {
  readonly options: PlaygroundClusterOptions;
  readonly port: WorkerPort<PlaygroundCluster>;
  info: PlaygroundClusterInfo;
  isRunning: boolean;
  network: NetworkState;
  /** As of the last start or change through this class. Other edits of the ConfigMap are seen at the next one. */
  troubles: readonly Trouble[];
}

/** The regions that clusters are distributed over. */
const regions = ["eu-west", "us-east"] as const;

/** Clusters that start concurrently. Starting is CPU-bound, so more would only delay each of them. */
const startTogether = 2;

/**
 * Heap limits of each thread. A playground is mostly idle; with Node's default young generation each thread would hold
 * about 40 MiB that it never fills.
 */
const heapLimits = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 512 };

/** The playground clusters of this machine, each in its own thread. */
export class Playground {
  readonly #members = new Map<string, Member>();

  private constructor() {}

  /**
   * Starts all clusters, or those that have begun when the signal aborts. If one fails to start, all are closed and it
   * rejects with the cause.
   */
  static async open(options: PlaygroundOptions): Promise<Playground> {
    const playground = new Playground();
    const waiting = memberOptions(options);
    const startRemaining = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (options.signal?.aborted === true) return;
        await playground.#add(next);
        options.onStarted?.(playground.#members.size);
      }
    };
    const isFailed = (end: PromiseSettledResult<void>): end is PromiseRejectedResult => end.status === "rejected";
    // Waits for all, not only for the first failure: a cluster that is still starting would otherwise outlive the close
    // below.
    const ends = await Promise.allSettled(Array.from({ length: startTogether }, startRemaining));
    const failed = ends.find(isFailed);
    if (failed === undefined) return playground;
    await playground.close();
    throw failed.reason;
  }

  /** Sorted by name. */
  list(): readonly PlaygroundState[] {
    return [...this.#members.values()].map(toState).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async stop(name: string): Promise<PlaygroundState> {
    const member = this.#find(name);
    await member.port.stop();
    member.isRunning = false;
    return toState(member);
  }

  async start(name: string): Promise<PlaygroundState> {
    const member = this.#find(name);
    member.info = await member.port.start();
    member.troubles = await member.port.listTroubles();
    member.isRunning = true;
    return toState(member);
  }

  async setNetwork(name: string, state: NetworkState): Promise<PlaygroundState> {
    const member = this.#find(name);
    await member.port.setNetwork(state);
    member.network = state;
    return toState(member);
  }

  async addTrouble(name: string, trouble: TroubleName): Promise<PlaygroundState> {
    const member = this.#find(name);
    await member.port.addTrouble(trouble);
    member.troubles = await member.port.listTroubles();
    return toState(member);
  }

  async healTrouble(name: string, trouble: TroubleName): Promise<PlaygroundState> {
    const member = this.#find(name);
    await member.port.healTrouble(trouble);
    member.troubles = await member.port.listTroubles();
    return toState(member);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#members.values()].map(({ port }) => port.close()));
    this.#members.clear();
  }

  #find(name: string): Member {
    const member = this.#members.get(name);
    if (member !== undefined) return member;
    const known = [...this.#members.keys()].sort().join(", ");
    throw new FlotillaError(
      "NOT_FOUND",
      `there is no playground cluster ${JSON.stringify(name)}; there are: ${known || "none"}`,
    );
  }

  async #add(options: PlaygroundClusterOptions): Promise<void> {
    const port = await openWorkerPort<PlaygroundCluster>(
      workerModule("playground-worker", import.meta.url),
      options,
      heapLimits,
    );
    try {
      const info = await port.start();
      writeFileSync(join(options.folder, "port"), String(info.port), { mode: 0o600 });
      const troubles = await port.listTroubles();
      this.#members.set(options.name, { options, port, info, isRunning: true, network: "open", troubles });
    } catch (reason) {
      await port.close();
      throw reason;
    }
  }
}

/** Names, regions, ports and tokens of the clusters. Ports and tokens of the first start are reused. */
function memberOptions({ folder, clusterCount, random }: PlaygroundOptions): PlaygroundClusterOptions[] {
  return Array.from({ length: clusterCount }, (_, index) => {
    const region = regions[index % regions.length] ?? regions[0];
    const name = `${region}-${Math.floor(index / regions.length) + 1}`;
    const own = join(folder, name);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    return {
      name,
      region,
      folder: own,
      port: Number(readOr(join(own, "port"), "0")),
      adminToken: readOrWrite(join(own, "admin-token"), () => random.bytes(32).toHex()),
      seed: name,
    };
  });
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (reason) {
    if (isMissing(reason)) return otherwise;
    throw reason;
  }
}

function readOrWrite(file: string, make: () => string): string {
  const known = readOr(file, "");
  if (known !== "") return known;
  const made = make();
  writeFileSync(file, made, { mode: 0o600 });
  return made;
}

function isMissing(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && reason.code === "ENOENT";
}

function toState({ options, info, isRunning, network, troubles }: Member): PlaygroundState {
  const { name, region, adminToken } = options;
  return { name, region, url: `https://127.0.0.1:${info.port}`, ca: info.ca, adminToken, isRunning, network, troubles };
}
