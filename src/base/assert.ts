// SPDX-License-Identifier: Apache-2.0

/**
 * A bug in Flotilla itself. It is not caught to go on: the process ends and its supervisor starts it anew. Only what nobody waits for, run by a
 * TaskGuard, fails by itself: it may be about the data of one cluster.
 */
export class BugError extends Error {
  override readonly name = "BugError";
}

/** Throws a BugError unless `condition` holds. For what can only be false through our own mistake, never for input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new BugError(message);
}

/** For the branch that a total switch never takes; the compiler refuses the call where one case is missing. */
export function unreachable(value: never, what = "value"): never {
  throw new BugError(`unexpected ${what}: ${String(value)}`);
}
