// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "./clock.ts";
import type { LogFields, Logger } from "./log.ts";
import type { Counter } from "./metrics.ts";

/**
 * Runs work that nobody waits for: timers, ticks and observers. A failure of it, a bug's included, is counted and logged under the task's name and goes
 * no further: data of one cluster must not end the process (L14).
 */
export interface TaskGuard {
  /** Runs the work. False where it failed. The fields name what it was about, such as the cluster. */
  run(task: string, work: () => void, fields?: LogFields): boolean;
}

/** Failing tasks that are remembered. Beyond, all are forgotten, and each is logged once more. */
const maxRememberedCount = 1_024;

/** A guard that counts every failure, and logs the first of a task and its fields until it has succeeded again. */
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
        if (isFirst(keyOf(task, fields))) log.error("a task failed and goes on", { task, ...fields }, reason);
        return false;
      }
      if (failing.size > 0) failing.delete(keyOf(task, fields));
      return true;
    },
  };
}

function keyOf(task: string, fields: LogFields): string {
  return [task, ...Object.values(fields)].join(" ");
}

/** The clock with every timer guarded: what a callback throws ends neither the process nor other timers. */
export function guardTimers(clock: Clock, guard: TaskGuard): Clock {
  return {
    nowMs: () => clock.nowMs(),
    wallMs: () => clock.wallMs(),
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, () => void guard.run("timer", callback)),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
}

/**
 * A listener of an EventEmitter, guarded: what it throws would otherwise end the process. `onFailure` gets the same arguments and lets
 * go of what the listener was about; it must not throw.
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

/** Guards nothing: a failure reaches the caller. For code under test, where it is to be seen. */
export const passingGuard: TaskGuard = {
  run(_task, work) {
    work();
    return true;
  },
};
