// SPDX-License-Identifier: Apache-2.0
// Counts the timers of the code under test. The runner has timers of its own, which come and go with its messages; it
// took the functions it uses before this file replaces the global ones, so what goes through here is ours.

const openTimers = new Set<NodeJS.Timeout>();

/**
 * Timers that are neither over nor cancelled and keep the process alive; those of libraries that do not are their own
 * affair.
 */
export function openTimerCount(): number {
  return openTimers
    .values()
    .filter((timer) => timer.hasRef())
    .toArray().length;
}

const start = globalThis.setTimeout;
const startInterval = globalThis.setInterval;
const cancel = globalThis.clearTimeout;

const countedTimeout = (
  callback: (...args: unknown[]) => void,
  delayMs?: number,
  ...args: unknown[]
): NodeJS.Timeout => {
  const timer = start(() => {
    openTimers.delete(timer);
    callback(...args);
  }, delayMs);
  openTimers.add(timer);
  return timer;
};

const countedInterval = (
  callback: (...args: unknown[]) => void,
  delayMs?: number,
  ...args: unknown[]
): NodeJS.Timeout => {
  const timer = startInterval(callback, delayMs, ...args);
  openTimers.add(timer);
  return timer;
};

const countedCancel = (timer: Parameters<typeof cancel>[0]): void => {
  if (typeof timer === "object") openTimers.delete(timer);
  cancel(timer);
};

// Only what is called is replaced; the promise form that Node hangs on these functions stays theirs.
globalThis.setTimeout = Object.defineProperties(
  countedTimeout,
  Object.getOwnPropertyDescriptors(start),
) as typeof setTimeout;
globalThis.setInterval = Object.defineProperties(
  countedInterval,
  Object.getOwnPropertyDescriptors(startInterval),
) as typeof setInterval;
globalThis.clearTimeout = countedCancel;
globalThis.clearInterval = countedCancel;
