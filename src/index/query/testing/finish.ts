// SPDX-License-Identifier: Apache-2.0

/** Runs work in slices to its end. */
export function finish<Result>(running: Generator<void, Result, undefined>): Result {
  for (;;) {
    const step = running.next();
    if (step.done === true) return step.value;
  }
}
