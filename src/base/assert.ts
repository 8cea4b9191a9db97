// SPDX-License-Identifier: Apache-2.0

/**
 * A bug in Flotilla itself. It ends the process, and the supervisor restarts it. Exception: background work run by a
 * TaskGuard fails alone, because the bug may concern the data of only one cluster.
 */
export class BugError extends Error {
  override readonly name = "BugError";
}

/** Throws a BugError unless `condition` is true. For conditions that only a bug can break, never for input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new BugError(message);
}

/** For the default branch of an exhaustive switch. The call does not compile if a case is missing. */
export function unreachable(value: never, what = "value"): never {
  throw new BugError(`unexpected ${what}: ${String(value)}`);
}
