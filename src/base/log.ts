// SPDX-License-Identifier: Apache-2.0

/** Named facts of one line: flat, safe to store, never an object of a cluster. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where lines go. The message is constant text; what varies is in the fields, so lines can be counted and searched. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** `error` is logged with its code, ids and chain of causes. */
  warn(message: string, fields?: LogFields, error?: unknown): void;
  error(message: string, fields?: LogFields, error?: unknown): void;
  /** A logger whose every line carries these fields too. */
  with(fields: LogFields): Logger;
}

const nowhere: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => nowhere,
};

/** A logger that keeps nothing; for code under test whose lines nobody reads. */
export const silentLogger: Logger = nowhere;
