// SPDX-License-Identifier: Apache-2.0
// The hub of the fleet's world: the code that ships over simulated disks, listening on its host.

import { hasCode } from "../../../src/base/error.ts";
import type { SeededRandom } from "../../../src/base/random.ts";
import { AuditLog } from "../../../src/hub/audit/audit-log.ts";
import { setPaused } from "../../../src/hub/clusters/testing/administer.ts";
import type { FleetTask } from "../../../src/hub/fleet-tasks.ts";
import { createHubFleet, type HubFleet } from "../../../src/hub/hub-fleet.ts";
import type { IndexPort } from "../../../src/hub/index/index-port.ts";
import { createInThreadIndex } from "../../../src/hub/index/testing/in-thread-index.ts";
import { defaultAdmissionRate } from "../../../src/session/hub/admission.ts";
import type { AcceptStream } from "../../../src/session/transport.ts";
import type { FleetLog } from "../../../src/store/fleet-log/fleet-log.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Delay } from "../../support/sim/delay.ts";
import type { SimNetwork } from "../../support/sim/network.ts";
import type { World } from "../../support/sim/world.ts";
import { readAsUsers, readersOnly } from "./access-readers.ts";
import { AccessStates } from "./access-states.ts";
import type { SimCluster } from "./cluster.ts";
import type { Judge } from "./judge.ts";
import { createSlowCodec, hasher, keyOf, verifier } from "./keys.ts";
import { createSkewedClock } from "./skewed-clock.ts";
import { Steps } from "./steps.ts";
import type { OpenStores } from "./stores.ts";
import { type OnPassage, tapAccept } from "./tap.ts";
import { fleetSettings, taskLeaseMs, thresholds } from "./timing.ts";
import { tracedMetrics } from "./traced-metrics.ts";
import type { TunnelDoor } from "./tunnel-door.ts";

export const hubName = "hub-of-the-world";
export const sessionService = "session";
export const tunnelService = "tunnel";

/** How soon an administrator asks again when the hub's store did not answer. */
const askAgainMs = 500;

/**
 * One process in four admits one session in five seconds: of three sessions at once, the last must retry (SE32).
 */
function drawAdmissionRate(random: SeededRandom): number {
  return random.int(4) === 0 ? 0.2 : defaultAdmissionRate;
}

export interface SimHubOptions {
  readonly world: World;
  readonly network: SimNetwork;
  /** Its host, and its own name among hubs that share a store. */
  readonly name: string;
  readonly openStores: () => Promise<OpenStores>;
  readonly clusters: readonly SimCluster[];
  readonly judge: Judge;
  readonly onPassage: OnPassage;
  readonly unpackDelay: Delay;
  /** Deliberate faults of our own stand between the hub and its log. */
  readonly wrapLog: (log: FleetLog) => FleetLog;
  /** Deliberate faults of our own stand between the hub and its index. */
  readonly wrapIndex?: (index: IndexPort) => IndexPort;
  /** It shares its stores with other hubs and follows what they append. */
  readonly followMs?: number;
  /** Runs beside the fleet's own tasks at the hub that does them. */
  readonly fleetTask?: (store: Store) => FleetTask;
  /** Sessions let in each second; drawn for each process when left out. */
  readonly admissionRate?: number;
  /** Where tunnels come in; left out in worlds in which nobody asks. */
  readonly tunnelDoor?: TunnelDoor;
}

/** Runs the hub's process, as often as it starts. */
export class SimHub {
  /** Of the process that runs: a message passes its door, or its log works. */
  readonly steps = new Steps();
  readonly #options: SimHubOptions;
  #startCount = 0;
  #fleet: HubFleet | undefined;
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

  /** An administrator wants the cluster paused, or not; asked again after each start, until it is so. */
  wishPaused(id: string, isPaused: boolean): void {
    if (isPaused) this.#pausedIds.add(id);
    else this.#pausedIds.delete(id);
    if (this.#fleet !== undefined) void this.#setPaused(this.#fleet, id);
  }

  /** One process: opens the stores, serves until the signal aborts, closes. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, name, openStores, judge, wrapLog, wrapIndex = (index) => index, fleetTask } = this.#options;
    this.#startCount += 1;
    const random = world.random.fork(`${name} ${this.#startCount}`);
    const admissionRate = this.#options.admissionRate ?? drawAdmissionRate(random.fork("admission"));
    const { store, log, close } = await openStores();
    const access = new AccessStates(world.clock);
    const clock = createSkewedClock(world, "the hub", random.fork("clock"));
    const index = createInThreadIndex({
      codec: createSlowCodec(world.clock, random.fork("codec"), this.#options.unpackDelay),
      hasher,
      clock,
      pause: () => clock.sleep(0),
    });
    try {
      const fleet = createHubFleet(
        {
          store,
          fleetLog: this.steps.around(judge.watchLog(wrapLog(log))),
          hubId: name,
          clock,
          random,
          log: world.trace.logger("hub"),
          metrics: tracedMetrics(world, judge.violations),
          index: access.watch(wrapIndex(index)),
          verifier,
          hubName,
          hubCa: () => "",
          settings: { ...fleetSettings, admissionRate },
          thresholds,
          taskLeaseMs,
          ...(this.#options.followMs === undefined ? {} : { followMs: this.#options.followMs }),
        },
        {
          audit: new AuditLog({ store, clock, log: world.trace.logger("hub") }),
          authorizer: readersOnly,
          fleetTasks: fleetTask === undefined ? [] : [fleetTask(store)],
        },
      );
      await this.#register(fleet);
      await this.#serve(fleet, access, signal);
    } finally {
      await index.close();
      await close();
    }
  }

  /** As an administrator does, once; later starts find it done. */
  async #register({ fleet }: HubFleet): Promise<void> {
    const metadata = { region: "", environment: "", version: "", kubernetesVersion: "", labels: new Map() };
    for (const { id, uid } of this.#options.clusters) {
      try {
        await fleet.clusterRegistration.add(
          { clusterId: id, publicKey: keyOf(id), clusterUid: uid, metadata },
          "agent",
        );
      } catch (reason) {
        if (!hasCode(reason, "ALREADY_EXISTS")) throw reason;
      }
    }
  }

  /** Asks until it is so. When the hub goes down meanwhile the next start asks again. */
  async #setPaused(hub: HubFleet, id: string): Promise<void> {
    while (this.#fleet === hub) {
      try {
        await setPaused(hub.fleet, id, this.#pausedIds.has(id), this.#options.world.clock.wallMs());
        return;
      } catch (reason) {
        if (!hasCode(reason, "UNAVAILABLE") && !hasCode(reason, "CONFLICT")) throw reason;
      }
      if (this.#fleet === hub) await this.#options.world.clock.sleep(askAgainMs);
    }
  }

  async #serve(hub: HubFleet, access: AccessStates, signal: AbortSignal): Promise<void> {
    const { world, network, name, judge, onPassage, tunnelDoor } = this.#options;
    if (signal.aborted) return;
    const accept: AcceptStream = (end, from) => {
      const told = tunnelDoor?.followSession(end, from);
      const tapped = tapAccept(hub.fleet.accept, (passage) => {
        told?.(passage);
        const fate = onPassage(passage);
        this.steps.take();
        return fate;
      });
      tapped(end, from);
    };
    const listeners = [network.listen(name, sessionService, accept)];
    if (tunnelDoor !== undefined)
      listeners.push(network.listen(name, tunnelService, tunnelDoor.open(hub, signal, this.steps.take)));
    this.#fleet = hub;
    const served = new AbortController();
    const reading = Promise.all([
      readChanges(hub, judge, AbortSignal.any([signal, served.signal])),
      readAsUsers({ world, hub, judge: judge.access(access) }, AbortSignal.any([signal, served.signal])),
    ]);
    for (const { id } of this.#options.clusters) void this.#setPaused(hub, id);
    try {
      await hub.run(signal);
    } catch (reason) {
      // Until then a process may exit for want of its databases, and is started again.
      if (!hub.fleet.restore.progress.isDone || !hasCode(reason, "UNAVAILABLE")) throw reason;
      throw new Error("a hub that had loaded its rows ended when its databases were away", { cause: reason });
    } finally {
      for (const listener of listeners) listener.close();
      if (this.#fleet === hub) this.#fleet = undefined;
      served.abort(new Error("the hub has ended"));
      await reading;
    }
  }
}

async function readChanges({ fleet }: HubFleet, judge: Judge, signal: AbortSignal): Promise<void> {
  for await (const changes of fleet.feed.read(fleet.feed.cursor, signal)) judge.takeChanges(changes);
}
