// SPDX-License-Identifier: Apache-2.0
// What a hub of the world keeps things in: two disks of its own, or two that hubs share.
import { FlotillaError } from "../../../src/base/error.ts";
import type { SeededRandom } from "../../../src/base/random.ts";
import type { WorkerPort } from "../../../src/base/worker-port.ts";
import { toRevision } from "../../../src/model/revision.ts";
import { createStore } from "../../../src/store/create-store.ts";
import type { FleetLog, FleetLogEngine } from "../../../src/store/fleet-log/fleet-log.ts";
import type { Store } from "../../../src/store/store.ts";
import type { StoreEngine, StorePort, UnitOutcome } from "../../../src/store/store-engine.ts";
import type { SimDisk } from "../../support/sim/disk.ts";
import type { SimTask } from "../../support/sim/task.ts";
import type { World } from "../../support/sim/world.ts";

/** Both, open, as one process of a hub has them. */
export interface OpenStores {
  readonly store: Store;
  readonly log: FleetLog;
  close(): Promise<void>;
}

/** The two databases. */
export interface Disks {
  readonly storeDisk: SimDisk<StoreEngine>;
  readonly logDisk: SimDisk<FleetLogEngine>;
}

/** Opens both; STORE_IN_USE while another has them. */
export async function openDisks({ clock }: World, { storeDisk, logDisk }: Disks): Promise<OpenStores> {
  const store = await createStore(await storeDisk.open(), { clock, bookmarkMs: 3_600_000 });
  try {
    const log = await logDisk.open();
    return {
      store,
      log,
      close: async () => {
        await log.close();
        await store.close();
      },
    };
  } catch (reason) {
    await store.close();
    throw reason;
  }
}

/** How often shared stores look whether everybody has left. */
const lookEveryMs = 500;

/** How often a hub polls shared stores. A lost wake-up delays the hub by at most this time. */
export const sharedPollMs = 1_000;

interface OpenPorts {
  readonly storePort: StorePort;
  readonly log: FleetLog;
}

/**
 * Databases that several hubs share, as on a database server: opened by a task of their own. Each hub process has its
 * own `Store` over them. A commit or append of one hub wakes the others; one wake-up in three is lost.
 */
export class SharedStores {
  readonly #world: World;
  readonly #disks: Disks;
  readonly #wrapLog: (log: FleetLog) => FleetLog;
  readonly #random: SeededRandom;
  readonly #task: SimTask;
  readonly #connections: StoresConnection[] = [];
  #opened = Promise.withResolvers<OpenPorts>();
  #isOpen = false;

  /** `wrapLog` stands before the fleet log itself, and sees its calls in the order in which they were made. */
  constructor(world: World, disks: Disks, wrapLog: (log: FleetLog) => FleetLog) {
    this.#world = world;
    this.#disks = disks;
    this.#wrapLog = wrapLog;
    this.#random = world.random.fork("wake-ups");
    this.#task = world.spawn("stores", (signal) => this.#run(signal));
  }

  /** A hub's way to them. `noteAppended` is the fleet's of the process that runs. */
  connect(noteAppended: (position: number) => void): StoresConnection {
    const connection = new StoresConnection({
      world: this.#world,
      opened: () => this.#opened.promise,
      onCommitted: (revision) => this.#wakeOthers(connection, (each) => each.noteCommitted(revision)),
      onAppended: (position) => this.#wakeOthers(connection, (each) => each.noteAppended(position)),
      noteAppended,
    });
    this.#connections.push(connection);
    return connection;
  }

  /** The machine of the databases goes down: what is not synced is lost. All hubs have to be down. */
  crash(): void {
    // Processes that wait for the databases go on waiting.
    if (this.#isOpen) this.#opened = Promise.withResolvers();
    this.#isOpen = false;
    this.#disks.storeDisk.crash("machine");
    this.#disks.logDisk.crash("machine");
    this.#task.crash();
  }

  /** Brings them back after a crash; nothing if they run. */
  restart(): void {
    if (!this.#task.isRunning) this.#task.start();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const storePort = await this.#disks.storeDisk.open();
    const log = this.#wrapLog(await this.#disks.logDisk.open());
    this.#isOpen = true;
    this.#opened.resolve({ storePort, log });
    while (!signal.aborted || this.#connections.some(({ isOpen }) => isOpen))
      await this.#world.clock.sleep(lookEveryMs);
    await log.close();
    await storePort.close();
  }

  #wakeOthers(from: StoresConnection, wake: (connection: StoresConnection) => void): void {
    for (const connection of this.#connections) if (connection !== from && this.#random.int(3) > 0) wake(connection);
  }
}

interface ConnectionOptions {
  readonly world: World;
  readonly opened: () => Promise<OpenPorts>;
  readonly onCommitted: (revision: number) => void;
  readonly onAppended: (position: number) => void;
  readonly noteAppended: (position: number) => void;
}

/**
 * One hub's way to shared stores, which its crash cuts: what is under way may have happened, and the process hears
 * nothing of it.
 */
export class StoresConnection {
  readonly #options: ConnectionOptions;
  #gone = new AbortController();
  #store: Store | undefined;
  #isOpen = false;
  /** Calls and answers wait for this. */
  #stall: PromiseWithResolvers<void> | undefined;
  #refusal: symbol | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** A process has it, and has neither closed it nor crashed. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Wake-ups; nothing while no process runs. */
  noteCommitted(revision: number): void {
    if (this.#isOpen) this.#store?.noteCommitted(toRevision(revision));
  }

  noteAppended(position: number): void {
    if (this.#isOpen) this.#options.noteAppended(position);
  }

  async open(): Promise<OpenStores> {
    this.#gone = new AbortController();
    const { signal } = this.#gone;
    const { opened, onCommitted, onAppended } = this.#options;
    this.#isOpen = true;
    const { storePort, log } = await opened();
    const gate: Gate = {
      gone: signal,
      pass: async () => {
        await this.#stall?.promise;
        if (this.#refusal !== undefined)
          throw new FlotillaError("UNAVAILABLE", "the connection to the database was lost");
      },
    };
    const port = behindGate(storePort, gate, (method, answer) => {
      if (method === "commit") onCommitted(newestOf(answer as readonly UnitOutcome[]));
    });
    const gatedLog = behindGate(log, gate, (method, answer) => {
      const outcome = answer as Awaited<ReturnType<FleetLog["append"]>>;
      if (method === "append" && outcome.kind === "appended") onAppended(outcome.position);
    });
    const store = await this.#create(port, signal);
    if (!signal.aborted) this.#store = store;
    return {
      store,
      log: gatedLog,
      close: async () => {
        await store.close();
        if (!signal.aborted) this.#isOpen = false;
      },
    };
  }

  async #create(port: StorePort, signal: AbortSignal): Promise<Store> {
    try {
      const { clock } = this.#options.world;
      return await createStore(port, { clock, bookmarkMs: 3_600_000, pollMs: sharedPollMs });
    } catch (reason) {
      if (!signal.aborted) this.#isOpen = false;
      throw reason;
    }
  }

  /**
   * The databases are out of reach: calls and answers wait, and the process lives on. What this returns lets them pass.
   */
  stall(): () => void {
    const stall = Promise.withResolvers<void>();
    this.#stall ??= stall;
    return () => {
      if (this.#stall !== stall) return;
      this.#stall = undefined;
      stall.resolve();
    };
  }

  /** The databases refuse the hub for a while: calls fail, also such that have happened. What this returns ends it. */
  refuse(): () => void {
    const refusal = Symbol("refusal");
    this.#refusal = refusal;
    return () => {
      if (this.#refusal === refusal) this.#refusal = undefined;
    };
  }

  crash(): void {
    this.#isOpen = false;
    this.#store = undefined;
    this.#stall?.resolve();
    this.#stall = undefined;
    this.#gone.abort(new FlotillaError("UNAVAILABLE", "the connection to the store went down with its process"));
  }
}

function newestOf(outcomes: readonly UnitOutcome[]): number {
  const results = outcomes.flatMap((outcome) => (outcome.kind === "committed" ? outcome.results : []));
  return Math.max(0, ...results.map(({ revision }) => revision));
}

interface Gate {
  /** Shut for ever. */
  readonly gone: AbortSignal;
  /** Waits while the databases are out of reach, and throws while they refuse. */
  pass(): Promise<void>;
}

/**
 * The port, each call of which is refused once the gate is shut; answers that come later too. `close` closes nothing:
 * others use it.
 */
function behindGate<Engine>(
  port: WorkerPort<Engine>,
  { gone, pass }: Gate,
  onAnswer: (method: string, answer: unknown) => void,
): WorkerPort<Engine> {
  return new Proxy(port, {
    get: (target, name) => {
      if (name === "close") return async () => undefined;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function" || typeof name !== "string") return value;
      return async (...args: unknown[]) => {
        await pass();
        gone.throwIfAborted();
        const answer: unknown = await Reflect.apply(value, target, args);
        // The others may hear of what the process that wrote it does not.
        onAnswer(name, answer);
        await pass();
        gone.throwIfAborted();
        return answer;
      };
    },
  });
}
