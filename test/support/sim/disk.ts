// SPDX-License-Identifier: Apache-2.0
// The disk model: the engine that ships, in this thread, behind a port with simulated latency, and crashes that lose
// what no fsync had completed for. The rules: SI19 to SI22.
import { abortReason } from "../../../src/base/abort.ts";
import { assert } from "../../../src/base/assert.ts";
import { FlotillaError } from "../../../src/base/error.ts";
import type { SeededRandom } from "../../../src/base/random.ts";
import type { WorkerPort } from "../../../src/base/worker-port.ts";
import { type Delay, drawDelayMs } from "./delay.ts";
import {
  type DiskEngine,
  type EngineBackup,
  EngineLog,
  type EngineSurroundings,
  type LoggedCall,
} from "./engine-log.ts";
import type { Crash } from "./task.ts";
import type { World } from "./world.ts";

/** What each step takes. Defaults: a good SSD that now and then has a bad moment. */
export interface DiskLatency {
  readonly read: Delay;
  readonly write: Delay;
  readonly fsync: Delay;
}

const ssd: DiskLatency = {
  read: { minMs: 0, maxMs: 1 },
  write: { minMs: 0, maxMs: 2, spikeEvery: 40, spikeMs: 50 },
  fsync: { minMs: 1, maxMs: 8, spikeEvery: 40, spikeMs: 200 },
};

/** Every method of an engine, so that a new one cannot be forgotten. */
export type MethodKinds<Engine> = Readonly<Record<Exclude<keyof Engine, "close">, "read" | "write">>;

export interface SimDiskOptions<Engine> {
  readonly world: World;
  readonly name: string;
  readonly openEngine: (surroundings: EngineSurroundings) => Engine;
  /** What restoring a copy does to it (SI24). */
  readonly adopt?: (surroundings: EngineSurroundings) => void;
  /** Which methods change what is stored: those are kept for the time after a crash. */
  readonly methods: MethodKinds<Engine>;
  readonly latency?: DiskLatency;
  /** `beforeFsync` is a disk that lies, to show that a test notices. */
  readonly answers?: "afterFsync" | "beforeFsync";
}

interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** One opening of the disk: calls run one at a time, in order, as in the store's thread, until closed or crashed. */
interface Opening {
  readonly gone: AbortController;
  readonly waiting: Call[];
  isRunning: boolean;
}

/**
 * One disk with one engine's database on it. It outlives the process that uses it; `open` again after a crash or a
 * close.
 */
export class SimDisk<Engine extends DiskEngine> {
  readonly #world: World;
  readonly #name: string;
  readonly #methods: ReadonlyMap<string, unknown>;
  readonly #latency: DiskLatency;
  readonly #isLying: boolean;
  readonly #random: SeededRandom;
  readonly #log: EngineLog<Engine>;
  #opening: Opening | undefined;
  /** Entries of the log that a completed fsync covers. */
  #durableCount = 0;
  #fsyncsUnderWay = 0;

  constructor(options: SimDiskOptions<Engine>) {
    const { world, name } = options;
    this.#world = world;
    this.#name = name;
    this.#methods = new Map(Object.entries(options.methods));
    this.#latency = options.latency ?? ssd;
    this.#isLying = options.answers === "beforeFsync";
    this.#random = world.random.fork(`disk ${name}`);
    this.#log = new EngineLog({
      clock: world.clock,
      random: this.#random.fork("engine"),
      openEngine: options.openEngine,
      ...(options.adopt === undefined ? {} : { adopt: options.adopt }),
    });
    world.onClose(() => this.#close());
  }

  /** All calls that made the stored state what it is: the truth that a check compares with. */
  get calls(): readonly LoggedCall<Engine>[] {
    return this.#log.calls;
  }

  /** Opens the engine on what is stored. STORE_IN_USE while an earlier opening is neither closed nor crashed. */
  async open(): Promise<WorkerPort<Engine>> {
    if (this.#opening !== undefined)
      throw new FlotillaError("STORE_IN_USE", `the disk ${this.#name} is open already; close it first`);
    const opening: Opening = { gone: new AbortController(), waiting: [], isRunning: false };
    this.#opening = opening;
    await this.#wait(this.#latency.write, opening);
    this.#log.open();
    this.#durableCount = this.#log.length;
    this.#world.trace.add(`disk ${this.#name} open`);
    return this.#createPort(opening);
  }

  /**
   * The process or its machine goes down. A process leaves all that was written; a machine leaves what is synced and,
   * of the rest, a beginning of chance length (SI20). Calls under way and all later ones on the old port are refused
   * with UNAVAILABLE.
   */
  crash(how: Crash): void {
    const opening = this.#opening;
    if (opening === undefined) return;
    this.#opening = undefined;
    opening.gone.abort(new FlotillaError("UNAVAILABLE", `the disk ${this.#name} went down with its ${how}`));
    for (const call of opening.waiting.splice(0)) call.reject(abortReason(opening.gone.signal));
    const unsyncedCount = this.#log.length - this.#durableCount;
    if (how === "machine") {
      const keptCount = this.#random.fork(`crash at ${this.#world.clock.nowMs()}`).int(unsyncedCount + 1);
      this.#log.rebuild(this.#durableCount + keptCount);
      this.#world.trace.add(`disk ${this.#name} keeps ${keptCount} of ${unsyncedCount} unsynced`);
    }
    this.#durableCount = this.#log.length;
  }

  /** A copy of all that is written now, synced or not, as one made beside a running engine has it (SI24). */
  backup(): EngineBackup {
    return this.#log.backup();
  }

  /** Puts the copy in the place of what is stored. The disk is not open. */
  restore(backup: EngineBackup): void {
    assert(this.#opening === undefined, "a disk is restored while nobody has it open");
    this.#world.trace.add(`disk ${this.#name} restored, ${this.#log.length - backup.entries.length} calls back`);
    this.#log.restore(backup);
    this.#durableCount = this.#log.length;
  }

  #createPort(opening: Opening): WorkerPort<Engine> {
    return new Proxy({} as WorkerPort<Engine>, {
      get: (_target, method) => {
        if (typeof method !== "string" || method === "then") return undefined;
        return (...args: unknown[]) => this.#enqueue(opening, method, args);
      },
    });
  }

  #enqueue(opening: Opening, method: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (opening.gone.signal.aborted) {
        reject(abortReason(opening.gone.signal));
        return;
      }
      opening.waiting.push({ method, args: structuredClone(args), resolve, reject });
      if (!opening.isRunning) void this.#runCalls(opening);
    });
  }

  async #runCalls(opening: Opening): Promise<void> {
    opening.isRunning = true;
    for (let call = opening.waiting.shift(); call !== undefined; call = opening.waiting.shift()) {
      try {
        call.resolve(structuredClone(await this.#runCall(opening, call)));
      } catch (reason) {
        call.reject(reason);
      }
    }
    opening.isRunning = false;
  }

  async #runCall(opening: Opening, { method, args }: Call): Promise<unknown> {
    if (method === "close") {
      opening.gone.abort(new FlotillaError("UNAVAILABLE", `the disk ${this.#name} is closed`));
      this.#opening = undefined;
      this.#durableCount = this.#log.length;
      return undefined;
    }
    if (this.#methods.get(method) !== "write") {
      await this.#wait(this.#latency.read, opening);
      return this.#log.read(method, args);
    }
    await this.#wait(this.#latency.write, opening);
    const result = this.#log.write(method, args);
    this.#world.trace.add(`disk ${this.#name} ${method} written`);
    if (this.#isLying) void this.#fsync(opening, this.#log.length);
    else await this.#fsync(opening, this.#log.length);
    return result;
  }

  /** Makes the first `count` entries durable. Rejects at a crash, unless nobody waits for it. */
  async #fsync(opening: Opening, count: number): Promise<void> {
    this.#fsyncsUnderWay += 1;
    try {
      await this.#wait(this.#latency.fsync, opening);
      this.#durableCount = Math.max(this.#durableCount, count);
    } catch (reason) {
      if (!this.#isLying) throw reason;
    } finally {
      this.#fsyncsUnderWay -= 1;
    }
  }

  async #wait(delay: Delay, opening: Opening): Promise<void> {
    await this.#world.clock.sleep(drawDelayMs(delay, this.#random), opening.gone.signal);
  }

  #close(): readonly string[] {
    assert(this.#durableCount <= this.#log.length, "nothing is durable that was not written");
    const isOpen = this.#opening !== undefined || this.#fsyncsUnderWay > 0;
    this.#log.close();
    return isOpen ? [`the disk ${this.#name}, which is open`] : [];
  }
}
