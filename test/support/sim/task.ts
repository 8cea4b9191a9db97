// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../../src/base/abort.ts";
import { assert } from "../../../src/base/assert.ts";

/**
 * How a host goes down. A process that dies leaves a kernel that resets its streams; a machine without power says
 * nothing.
 */
export type Crash = "process" | "machine";

/**
 * The reason in the signal of a task that was killed. Its code has no chance to finish in order: ports refuse it
 * already.
 */
class CrashedError extends Error {
  override readonly name = "CrashedError";
}

/** The reason in the signal of a task that is asked to end. */
class StoppedError extends Error {
  override readonly name = "StoppedError";
}

/** A process in small: runs until its signal aborts. Whatever it opened it lets go of before it ends. */
export type TaskRun = (signal: AbortSignal) => Promise<void>;

type State = "running" | "stopping" | "crashed" | "ended";

/** What the world wants to hear of a task. */
export interface TaskEvents {
  onFailure(task: SimTask, reason: unknown): void;
  onState(task: SimTask, state: State): void;
}

/**
 * A task of a world. A failure while it runs, or on its way to a stop, is a failure of the world; what a crashed one
 * throws is discarded, as a dead process reports nothing (SI5). It must end in any case: one that does not is a leak.
 */
export class SimTask {
  readonly name: string;
  readonly #run: TaskRun;
  readonly #events: TaskEvents;
  #state: State = "ended";
  #controller = new AbortController();
  #unsettledCount = 0;

  constructor(name: string, run: TaskRun, events: TaskEvents) {
    this.name = name;
    this.#run = run;
    this.#events = events;
  }

  get isRunning(): boolean {
    return this.#state === "running" || this.#state === "stopping";
  }

  /** True once no code of it is under way any more, also none of crashed runs. */
  get isSettled(): boolean {
    return this.#unsettledCount === 0;
  }

  /** Runs it, anew after it ended or crashed. */
  start(): void {
    assert(!this.isRunning, `task ${this.name} is running already`);
    this.#controller = new AbortController();
    this.#unsettledCount += 1;
    this.#setState("running");
    void this.#follow(this.#controller.signal);
  }

  /** Kills it; nothing if it is not running. */
  crash(): void {
    if (!this.isRunning) return;
    this.#setState("crashed");
    this.#controller.abort(new CrashedError(`task ${this.name} crashed`));
  }

  /** Asks it to end in order; nothing if it is not running. */
  stop(): void {
    if (this.#state !== "running") return;
    this.#setState("stopping");
    this.#controller.abort(new StoppedError(`task ${this.name} is stopped`));
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const isCurrent = (): boolean => this.#controller.signal === signal && this.#state !== "crashed";
    try {
      await this.#run(signal);
    } catch (reason) {
      if (isCurrent() && !isCancellation(signal, reason)) this.#events.onFailure(this, reason);
    } finally {
      this.#unsettledCount -= 1;
      if (isCurrent()) this.#setState("ended");
    }
  }

  #setState(state: State): void {
    this.#state = state;
    this.#events.onState(this, state);
  }
}
