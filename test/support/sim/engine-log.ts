// SPDX-License-Identifier: Apache-2.0
// An engine as the sum of the calls that changed it: running them again, with the time and the chance of the first run,
// gives the same engine. That is how a simulated disk goes back to an earlier state without a file.
import { isDeepStrictEqual } from "node:util";
import { assert } from "../../../src/base/assert.ts";
import type { Random, SeededRandom } from "../../../src/base/random.ts";
import type { Clock } from "../../../src/base/time/clock.ts";

/** What an engine is opened with. `file` names a database in memory that lives as long as one engine has it open. */
export interface EngineSurroundings {
  readonly file: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** An engine that a disk can carry: methods that answer at once. */
export interface DiskEngine {
  close(): unknown;
}

type MethodOf<Engine> = {
  [Name in keyof Engine]: Engine[Name] extends (...args: never[]) => unknown ? Name : never;
}[keyof Engine];

/** A call that changed the engine, with what it answered. */
export type LoggedCall<Engine> = {
  [Name in MethodOf<Engine>]: Engine[Name] extends (...args: infer Args) => infer Result
    ? { readonly method: Name; readonly args: Args; readonly result: Awaited<Result> }
    : never;
}[MethodOf<Engine>];

/**
 * `open` and `adopt` are entries too: an engine may tidy up when it opens, and a restore changes what it copied.
 * Numbers are never used twice, so lost entries' chance is not drawn again.
 */
export interface Entry {
  readonly number: number;
  readonly nowMs: number;
  readonly wallMs: number;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly result: unknown;
}

/** Databases in memory are shared within the process by name; the number keeps worlds apart and is in no trace. */
let databaseCount = 0;

export interface EngineLogOptions<Engine> {
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly openEngine: (surroundings: EngineSurroundings) => Engine;
  /** What a restore does to the copy before it is opened; nothing where left out. */
  readonly adopt?: (surroundings: EngineSurroundings) => void;
}

/** A state of an engine that can be gone back to, whatever happens to it afterwards. */
export interface EngineBackup {
  readonly entries: readonly Entry[];
}

/**
 * One engine and the log that it can be rebuilt from. Rebuilding takes as long as all its calls did, some 60 µs for a
 * commit.
 */
export class EngineLog<Engine extends DiskEngine> {
  readonly #options: EngineLogOptions<Engine>;
  #entries: Entry[] = [];
  #file = "";
  #engine: Engine | undefined;
  #lastNumber = 0;
  #running: Pick<Entry, "number" | "nowMs" | "wallMs"> = { number: 0, nowMs: 0, wallMs: 0 };
  #random: Random;

  constructor(options: EngineLogOptions<Engine>) {
    this.#options = options;
    this.#random = options.random;
  }

  /** How many calls the log holds. */
  get length(): number {
    return this.#entries.length;
  }

  /** The calls that made the engine what it is, in order. */
  get calls(): readonly LoggedCall<Engine>[] {
    const calls: readonly unknown[] = this.#entries.filter(({ method }) => method !== "open" && method !== "adopt");
    return calls as readonly LoggedCall<Engine>[]; // `write` is the only way in, and its types are the engine's.
  }

  /** Opens the engine on what is stored; the one that had it open before is closed, if it was not. */
  open(): void {
    this.#begin();
    this.#reopen();
    this.#keep("open", [], undefined);
  }

  /** Runs a call that changes nothing. */
  read(method: string, args: readonly unknown[]): unknown {
    this.#begin();
    return this.#call(method, args);
  }

  /** Runs a call and keeps it. If it throws it has changed nothing and is not kept. */
  write(method: string, args: readonly unknown[]): unknown {
    this.#begin();
    const result = this.#call(method, args);
    this.#keep(method, args, result);
    return result;
  }

  /** A copy of what is stored now. */
  backup(): EngineBackup {
    return { entries: this.#entries.slice() };
  }

  /** What is stored becomes the copy, as a restore leaves it. The engine is closed. */
  restore({ entries }: EngineBackup): void {
    this.#entries = [...entries];
    this.rebuild(entries.length);
    this.#begin();
    this.#adopt();
    this.#keep("adopt", [], undefined);
  }

  /**
   * Goes back to the first `count` entries. Each call must answer as it did the first time, or the engine is not
   * deterministic (SI21).
   */
  rebuild(count: number): void {
    const kept = this.#entries.slice(0, count);
    this.close();
    this.#file = "";
    for (const entry of kept) {
      this.#setRunning(entry);
      if (entry.method === "open") this.#reopen();
      else if (entry.method === "adopt") this.#adopt();
      else {
        const result = this.#call(entry.method, entry.args);
        assert(
          isDeepStrictEqual(result, entry.result),
          `${entry.method} answered ${JSON.stringify(result)} when it ran again, and ${JSON.stringify(entry.result)} before`,
        );
      }
    }
    this.#entries = kept;
  }

  /** Lets go of the engine and of what it stored; the log stays. */
  close(): void {
    this.#engine?.close();
    this.#engine = undefined;
  }

  #keep(method: string, args: readonly unknown[], result: unknown): void {
    this.#entries.push({ ...this.#running, method, args: structuredClone(args), result: structuredClone(result) });
  }

  #begin(): void {
    this.#lastNumber += 1;
    const { clock } = this.#options;
    this.#setRunning({ number: this.#lastNumber, nowMs: clock.nowMs(), wallMs: clock.wallMs() });
  }

  #setRunning(running: Pick<Entry, "number" | "nowMs" | "wallMs">): void {
    this.#running = { number: running.number, nowMs: running.nowMs, wallMs: running.wallMs };
    this.#random = this.#options.random.fork(`call ${running.number}`);
  }

  #reopen(): void {
    if (this.#file === "") {
      databaseCount += 1;
      this.#file = `file:simulated-disk-${databaseCount}?mode=memory&cache=shared`;
    }
    const before = this.#engine;
    this.#engine = this.#options.openEngine({
      file: this.#file,
      clock: this.#createClock(),
      random: this.#createRandom(),
    });
    before?.close();
  }

  #adopt(): void {
    if (this.#file === "") return; // nothing was ever opened, so there is nothing to adopt
    this.#options.adopt?.({ file: this.#file, clock: this.#createClock(), random: this.#createRandom() });
  }

  #call(method: string, args: readonly unknown[]): unknown {
    assert(this.#engine !== undefined, "the engine is open");
    const run: unknown = Reflect.get(this.#engine, method);
    assert(typeof run === "function", `the engine has no method ${method}`);
    const result: unknown = Reflect.apply(run, this.#engine, args);
    assert(!(result instanceof Promise), `${method} answers at once`);
    return result;
  }

  #createClock(): Clock {
    const refuse = (): never => {
      throw new Error("an engine has no timers");
    };
    return {
      nowMs: () => this.#running.nowMs,
      wallMs: () => this.#running.wallMs,
      setTimer: refuse,
      sleep: refuse,
    };
  }

  #createRandom(): Random {
    return {
      next: () => this.#random.next(),
      uint32: () => this.#random.uint32(),
      int: (maxExclusive) => this.#random.int(maxExclusive),
      bytes: (byteCount) => this.#random.bytes(byteCount),
    };
  }
}
