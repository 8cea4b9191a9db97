// SPDX-License-Identifier: Apache-2.0
// The simulated world: virtual time, seeded chance, tasks, and a trace of what happened. The rules:
// docs/spec/simulation.md.

import { createSeededRandom, type SeededRandom } from "../../../src/base/random.ts";
import { ManualClock, settle } from "../../../src/base/testing/manual-clock.ts";
import { SimTask, type TaskRun } from "./task.ts";
import { Trace } from "./trace.ts";

/** Timers that may run at one moment of virtual time; a world of some hundred tasks needs a few thousand. */
const timersPerMoment = 100_000;

/** The world cannot go on, or something in it failed. */
export class SimulationError extends Error {
  override readonly name = "SimulationError";
}

/** Lets go of a part's own timers (packets under way) and says what others left open in it; an empty list = nothing. */
export type ClosePart = () => readonly string[];

/**
 * One seeded world, all of it in this thread. Nothing happens except in `run`, `runUntil`, `quiesce` and `close`, which
 * move the clock from timer to timer and let all ready promise callbacks run in between (SI3).
 */
export class World {
  readonly seed: number;
  readonly clock = new ManualClock();
  /** Each part forks its own stream by name, so that a new part shifts no other one's draws (SI2). */
  readonly random: SeededRandom;
  readonly trace = new Trace(this.clock);
  readonly #tasks: SimTask[] = [];
  readonly #parts: ClosePart[] = [];
  #failure: SimulationError | undefined;
  #momentMs = -1;
  #timersThisMoment = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.random = createSeededRandom(seed);
  }

  /** Starts a task. Crash it, stop it, start it again by what this returns. */
  spawn(name: string, run: TaskRun): SimTask {
    const task = new SimTask(name, run, {
      onFailure: ({ name: failed }, reason) => this.#fail(failed, reason),
      onState: ({ name: changed }, state) => this.trace.add(`task ${changed} ${state}`),
    });
    this.#tasks.push(task);
    task.start();
    return task;
  }

  /** Called by `close` when all tasks have ended. */
  onClose(part: ClosePart): void {
    this.#parts.push(part);
  }

  /** Lets that much time pass. */
  async run(forMs: number): Promise<void> {
    const untilMs = this.clock.nowMs() + forMs;
    await this.#settle();
    while ((this.clock.nextDueMs ?? Number.POSITIVE_INFINITY) <= untilMs) await this.#step();
    await this.clock.advance(untilMs - this.clock.nowMs());
    this.#throwFailure();
  }

  /**
   * Goes on until the condition holds. Throws after `limitMs` of virtual time, and at once when nothing is left that
   * could still happen: a deadlock (SI4).
   */
  async runUntil(what: string, isReached: () => boolean, limitMs: number): Promise<void> {
    const untilMs = this.clock.nowMs() + limitMs;
    await this.#settle();
    while (!isReached()) {
      const dueMs = this.clock.nextDueMs;
      if (dueMs === undefined) throw this.#stuck(`deadlock: "${what}" waits for something that no timer will bring`);
      if (dueMs > untilMs) throw this.#stuck(`"${what}" did not come about within ${limitMs} ms`);
      await this.#step();
    }
  }

  /**
   * Goes on until no timer waits. A world with something periodic in it never comes to rest; that throws after
   * `limitMs` (SI4).
   */
  async quiesce(limitMs: number): Promise<void> {
    await this.runUntil("rest", () => this.clock.timerCount === 0, limitMs);
  }

  /** Stops all tasks, waits for them up to `limitMs`, and throws if anything is left behind (SI7). */
  async close(limitMs = 60_000): Promise<void> {
    for (const task of this.#tasks) task.stop();
    await this.runUntil("the end of all tasks", () => this.#tasks.every((task) => task.isSettled), limitMs);
    const left = this.#parts.flatMap((closePart) => closePart());
    if (this.clock.timerCount > 0) left.push(`${this.clock.timerCount} timers`);
    if (left.length > 0) throw new SimulationError(`left behind at the end of the world: ${left.join(", ")}`);
  }

  async #step(): Promise<void> {
    this.clock.runNext();
    const isSameMoment = this.clock.nowMs() === this.#momentMs;
    this.#momentMs = this.clock.nowMs();
    this.#timersThisMoment = isSameMoment ? this.#timersThisMoment + 1 : 1;
    if (this.#timersThisMoment > timersPerMoment)
      throw this.#stuck(`time stands still: ${timersPerMoment} timers ran at ${this.#momentMs} ms`);
    await this.#settle();
  }

  async #settle(): Promise<void> {
    await settle();
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(name: string, reason: unknown): void {
    const text = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
    this.trace.add(`task ${name} failed ${text}`);
    this.#failure ??= new SimulationError(`task ${name} failed: ${text}`, { cause: reason });
  }

  #stuck(what: string): SimulationError {
    const names = this.#tasks.filter((task) => !task.isSettled).map((task) => task.name);
    const tasks = names.length === 0 ? "no task runs" : `still running: ${names.join(", ")}`;
    return new SimulationError(
      `${what}; at ${this.clock.nowMs()} ms ${this.clock.timerCount} timers wait, and ${tasks}`,
    );
  }
}
