// SPDX-License-Identifier: Apache-2.0

/** Fields of one log line: flat, safe to store, never an object of a cluster. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * A structured logger. The message is constant text; variable parts go into the fields, so that lines can be counted
 * and searched.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** `error` is logged with its code, ids and chain of causes. */
  warn(message: string, fields?: LogFields, error?: unknown): void;
  error(message: string, fields?: LogFields, error?: unknown): void;
  /** A logger that adds these fields to every line. */
  with(fields: LogFields): Logger;
}

const discarding: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => discarding,
};

/** A logger that discards everything; for tests. */
export const silentLogger: Logger = discarding;
