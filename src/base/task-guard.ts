// SPDX-License-Identifier: Apache-2.0

import type { LogFields, Logger } from "./log.ts";
import type { Counter } from "./metrics.ts";
import type { Clock } from "./time/clock.ts";

/**
 * Runs background work without a caller: timers, ticks and observers. A failure, including a bug, is counted and logged
 * under the task's name and goes no further: data of one cluster must not end the process (L14).
 */
export interface TaskGuard {
  /** Runs the work; false if it failed. The fields identify what it concerns, such as the cluster. */
  run(task: string, work: () => void, fields?: LogFields): boolean;
}

/** Maximum number of failing tasks remembered. Beyond it all are forgotten, and each is logged once more. */
const maxRememberedCount = 1_024;

/**
 * A guard that counts every failure. It logs the first failure of a task and its fields, and the next only after a
 * success.
 */
export function createTaskGuard(options: { readonly log: Logger; readonly failures: Counter<"task"> }): TaskGuard {
  const { log, failures } = options;
  const failing = new Set<string>();
  const isFirst = (key: string): boolean => {
    if (failing.has(key)) return false;
    if (failing.size >= maxRememberedCount) failing.clear();
    failing.add(key);
    return true;
  };
  return {
    run(task, work, fields = {}) {
      try {
        work();
      } catch (reason) {
        failures.add({ task });
        if (isFirst(keyOf(task, fields))) log.error("background task failed", { task, ...fields }, reason);
        return false;
      }
      if (failing.size > 0) failing.delete(keyOf(task, fields));
      return true;
    },
  };
}

/** As `TaskGuard.run`, for asynchronous work. Rejects only where the guard itself throws. */
export async function guardAsync(
  guard: TaskGuard,
  task: string,
  work: () => Promise<void>,
  fields?: LogFields,
): Promise<boolean> {
  const [outcome] = await Promise.allSettled([work()]);
  return guard.run(
    task,
    () => {
      if (outcome.status === "rejected") throw outcome.reason;
    },
    fields,
  );
}

function keyOf(task: string, fields: LogFields): string {
  return [task, ...Object.values(fields)].join(" ");
}

/** The clock with every timer guarded: an error in a callback ends neither the process nor other timers. */
export function guardTimers(clock: Clock, guard: TaskGuard): Clock {
  return {
    nowMs: () => clock.nowMs(),
    wallMs: () => clock.wallMs(),
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, () => void guard.run("timer", callback)),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
}

/**
 * A guarded listener of an EventEmitter; without it an error would end the process. `onFailure` gets the same arguments
 * and releases what the listener handled; it must not throw.
 */
export function guardListener<Args extends readonly unknown[]>(
  guard: TaskGuard,
  task: string,
  listener: (...args: Args) => void,
  onFailure: (...args: Args) => void = () => undefined,
): (...args: Args) => void {
  return (...args) => {
    if (!guard.run(task, () => listener(...args))) onFailure(...args);
  };
}

/** Guards nothing: a failure reaches the caller. For tests, where it must be visible. */
export const passingGuard: TaskGuard = {
  run(_task, work) {
    work();
    return true;
  },
};
