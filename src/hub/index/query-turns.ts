// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** Most queries of one user that run at the same time. More are refused. */
const maxRunningCount = 100;

export interface QueryTurnsOptions {
  /** Resolves after other work of the thread had the chance to run. */
  readonly pause: () => Promise<void>;
  readonly nowMs: () => number;
  /** Called with the time of each slice. */
  readonly charge: (user: string, tookMs: number) => void;
}

/** A query between two slices. */
interface WaitingQuery {
  /** Runs one slice. True if the query ended. */
  readonly runSlice: () => boolean;
}

/**
 * Divides the time of queries between users: slices of users take turns, and so do the queries of one user. Many heavy
 * queries of one user therefore delay a query of another one by one slice at a time.
 */
export class QueryTurns {
  readonly #options: QueryTurnsOptions;
  /** The queries of each user that wait for a slice. The first user has the next turn. */
  readonly #waiting = new Map<string, WaitingQuery[]>();
  readonly #runningCounts = new Map<string, number>();
  #isRunning = false;

  constructor(options: QueryTurnsOptions) {
    this.#options = options;
  }

  /**
   * Runs work in slices until it ends. `check` is called before each slice but the first and ends the work by throwing.
   * Throws OVERLOADED if the user has too many queries running.
   */
  async run<Result>(user: string, work: Generator<void, Result, undefined>, check: () => void): Promise<Result> {
    const runningCount = this.#runningCounts.get(user) ?? 0;
    if (runningCount >= maxRunningCount)
      throw new FlotillaError("OVERLOADED", `you have ${maxRunningCount} queries running; wait until one of them ends`);
    this.#runningCounts.set(user, runningCount + 1);
    try {
      return await new Promise<Result>((resolve, reject) => {
        let isFirst = true;
        this.#enqueue(user, {
          runSlice: () => {
            try {
              if (!isFirst) check();
              isFirst = false;
              const step = work.next();
              if (step.done === true) resolve(step.value);
              return step.done === true;
            } catch (reason) {
              reject(reason);
              return true;
            }
          },
        });
        if (!this.#isRunning) void this.#runAll();
      });
    } finally {
      const count = (this.#runningCounts.get(user) ?? 0) - 1;
      if (count > 0) this.#runningCounts.set(user, count);
      else this.#runningCounts.delete(user);
    }
  }

  #enqueue(user: string, query: WaitingQuery): void {
    const queries = this.#waiting.get(user);
    if (queries === undefined) this.#waiting.set(user, [query]);
    else queries.push(query);
  }

  /** Runs slices until no query waits. Never rejects: a slice reports its failure to its own query. */
  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (this.#runNext(); this.#waiting.size > 0; this.#runNext()) await this.#options.pause();
    this.#isRunning = false;
  }

  /** Runs a slice of the user whose turn it is. */
  #runNext(): void {
    const { nowMs, charge } = this.#options;
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [user, queries] = first;
    this.#waiting.delete(user);
    const startedMs = nowMs();
    const query = queries.shift();
    if (query?.runSlice() === false) queries.push(query);
    charge(user, nowMs() - startedMs);
    if (queries.length > 0) this.#waiting.set(user, queries);
  }
}
