// SPDX-License-Identifier: Apache-2.0
// The hub of the fleet's world: the code that ships over two simulated disks, listening on host "hub".
import { hasCode } from "../../../src/base/error.ts";
import { silentMetrics } from "../../../src/base/metrics.ts";
import { createHubFleet, type HubFleet } from "../../../src/hub/hub-fleet.ts";
import { createStore } from "../../../src/store/create-store.ts";
import type { FleetLog, FleetLogEngine } from "../../../src/store/fleet-log.ts";
import type { StoreEngine } from "../../../src/store/store-engine.ts";
import type { Delay } from "../../support/sim/delay.ts";
import type { SimDisk } from "../../support/sim/disk.ts";
import type { SimNetwork } from "../../support/sim/network.ts";
import type { World } from "../../support/sim/world.ts";
import type { SimCluster } from "./cluster.ts";
import type { Judge } from "./judge.ts";
import { createSlowCodec, hasher, keyOf, verifier } from "./keys.ts";
import { type OnPassage, tapAccept } from "./tap.ts";
import { fleetSettings, thresholds } from "./timing.ts";

export const hubName = "hub-of-the-world";
export const hubService = { to: "hub", service: "session" };

export interface SimHubOptions {
  readonly world: World;
  readonly network: SimNetwork;
  readonly storeDisk: SimDisk<StoreEngine>;
  readonly logDisk: SimDisk<FleetLogEngine>;
  readonly clusters: readonly SimCluster[];
  readonly judge: Judge;
  readonly onPassage: OnPassage;
  readonly unpackDelay: Delay;
  /** Deliberate faults of our own stand between the hub and its log. */
  readonly wrapLog: (log: FleetLog) => FleetLog;
}

/** Runs the hub's process, as often as it starts. */
export class SimHub {
  readonly #options: SimHubOptions;
  #startCount = 0;
  #fleet: HubFleet | undefined;
  #stepsLeft = 0;
  #crash: () => void = () => undefined;
  readonly #pausedIds = new Set<string>();

  constructor(options: SimHubOptions) {
    this.#options = options;
  }

  /** Of the process that runs; undefined while none does. */
  get fleet(): HubFleet | undefined {
    return this.#fleet;
  }

  /** The process is gone, whatever its code still does. */
  forget(): void {
    this.#fleet = undefined;
  }

  /** Has `crash` called within one of the next steps of the process; a count of 0 takes that back. */
  crashAfter(stepCount: number, crash: () => void): void {
    this.#stepsLeft = stepCount;
    this.#crash = crash;
  }

  /** An administrator wants the cluster paused, or not; asked again after each start, until it is so. */
  wishPaused(id: string, isPaused: boolean): void {
    if (isPaused) this.#pausedIds.add(id);
    else this.#pausedIds.delete(id);
    if (this.#fleet !== undefined) void this.#setPaused(this.#fleet, id);
  }

  /** One process: opens the disks, serves until the signal aborts, closes. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, storeDisk, logDisk, judge, wrapLog } = this.#options;
    this.#startCount += 1;
    const random = world.random.fork(`hub ${this.#startCount}`);
    const store = await createStore(await storeDisk.open(), { clock: world.clock, bookmarkMs: 3_600_000 });
    try {
      const log = await logDisk.open();
      try {
        const fleet = createHubFleet({
          store,
          fleetLog: this.#stepping(judge.watchLog(wrapLog(log))),
          clock: world.clock,
          random,
          log: world.trace.logger("hub"),
          metrics: silentMetrics,
          codec: createSlowCodec(world.clock, random.fork("codec"), this.#options.unpackDelay),
          hasher,
          verifier,
          hubName,
          hubCa: () => "",
          settings: fleetSettings,
          thresholds,
        });
        await this.#register(fleet);
        await this.#serve(fleet, signal);
      } finally {
        await log.close();
      }
    } finally {
      await store.close();
    }
  }

  /** As an administrator does, once; later starts find it done. */
  async #register({ fleet }: HubFleet): Promise<void> {
    const metadata = { region: "", environment: "", version: "", kubernetesVersion: "", labels: new Map() };
    for (const { id, uid } of this.#options.clusters) {
      try {
        await fleet.joinDesk.add({ clusterId: id, publicKey: keyOf(id), clusterUid: uid, metadata }, "agent");
      } catch (reason) {
        if (!hasCode(reason, "ALREADY_EXISTS")) throw reason;
      }
    }
  }

  async #setPaused({ fleet }: HubFleet, id: string): Promise<void> {
    try {
      await fleet.joinDesk.setPaused(id, this.#pausedIds.has(id));
    } catch (reason) {
      // The hub went down meanwhile, or two wishes met: the next start asks again.
      if (!hasCode(reason, "UNAVAILABLE") && !hasCode(reason, "CONFLICT")) throw reason;
    }
  }

  #step(): void {
    if (this.#stepsLeft === 0) return;
    this.#stepsLeft -= 1;
    if (this.#stepsLeft === 0) this.#crash();
  }

  /** The log, each call of which is a step before and after. */
  #stepping(log: FleetLog): FleetLog {
    return new Proxy(log, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...args: unknown[]) => {
          this.#step();
          const answer: unknown = await Reflect.apply(method, target, args);
          this.#step();
          return answer;
        };
      },
    });
  }

  async #serve(hub: HubFleet, signal: AbortSignal): Promise<void> {
    const { network, judge, onPassage } = this.#options;
    if (signal.aborted) return;
    const accept = tapAccept(hub.fleet.accept, (passage) => {
      const fate = onPassage(passage);
      this.#step();
      return fate;
    });
    const listener = network.listen(hubService.to, hubService.service, accept);
    this.#fleet = hub;
    const reading = readChanges(hub, judge, signal);
    for (const { id } of this.#options.clusters) void this.#setPaused(hub, id);
    try {
      await hub.run(signal);
    } finally {
      listener.close();
      if (this.#fleet === hub) this.#fleet = undefined;
      await reading;
    }
  }
}

async function readChanges({ fleet }: HubFleet, judge: Judge, signal: AbortSignal): Promise<void> {
  for await (const changes of fleet.feed.read(fleet.feed.cursor, signal)) judge.takeChanges(changes);
}
