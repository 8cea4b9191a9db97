// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FlotillaError } from "../base/error.ts";
import type { Random } from "../base/random.ts";
import type { Port } from "../store/store-engine.ts";
import { openWorkerPort, workerModule } from "../store/worker-port.ts";
import type { Trouble, TroubleName } from "./controllers/trouble.ts";
import type { NetworkState } from "./network-gate.ts";
import type { PlaygroundCluster, PlaygroundClusterInfo, PlaygroundClusterOptions } from "./playground-cluster.ts";

export interface PlaygroundOptions {
  /** Each cluster has a folder of its own below. */
  readonly folder: string;
  readonly clusterCount: number;
  readonly random: Random;
  /** Called with how many of them run, after each that has started. */
  readonly onStarted?: (startedCount: number) => void;
  /** Clusters that have not begun to start when it aborts are left out. */
  readonly signal?: AbortSignal;
}

/** A cluster as it stands. */
export interface PlaygroundState {
  readonly name: string;
  readonly region: string;
  readonly url: string;
  readonly ca: string;
  readonly adminToken: string;
  readonly isRunning: boolean;
  readonly network: NetworkState;
  /** The troubles that are active, of a stopped cluster those it stopped with. */
  readonly troubles: readonly Trouble[];
}

interface Member {
  readonly options: PlaygroundClusterOptions;
  readonly port: Port<PlaygroundCluster>;
  info: PlaygroundClusterInfo;
  isRunning: boolean;
  network: NetworkState;
  /** As of the last start or change through this class; edits of the ConfigMap by others are seen at the next. */
  troubles: readonly Trouble[];
}

/** The regions that clusters are spread over. */
const regions = ["eu-west", "us-east"] as const;

/** Clusters that start at once: starting is all CPU, and more at a time would only make each of them late. */
const startTogether = 2;

/** A playground is mostly idle: with Node's own young generation each thread would hold some 40 MiB that it never fills. */
const heapLimits = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 512 };

/** The playground clusters of this machine, each in a thread of its own. */
export class Playground {
  readonly #members = new Map<string, Member>();

  private constructor() {}

  /** Starts them all, or those that have begun when the signal aborts. If one cannot start, none stays, and it rejects with why. */
  static async open(options: PlaygroundOptions): Promise<Playground> {
    const playground = new Playground();
    const waiting = memberOptions(options);
    const startOn = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (options.signal?.aborted === true) return;
        await playground.#add(next);
        options.onStarted?.(playground.#members.size);
      }
    };
    const isFailed = (end: PromiseSettledResult<void>): end is PromiseRejectedResult => end.status === "rejected";
    // Not by the first failure: one that is still starting then would come up after all others were closed, and stay.
    const ends = await Promise.allSettled(Array.from({ length: startTogether }, startOn));
    const failed = ends.find(isFailed);
    if (failed === undefined) return playground;
    await playground.close();
    throw failed.reason;
  }

  /** In order of their names. */
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

/** Names, regions, ports and tokens of the clusters; what was chosen at the first start stays. */
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
