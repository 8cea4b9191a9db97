// SPDX-License-Identifier: Apache-2.0
import type { LogFields, Logger } from "../../../base/log.ts";

/** One line of a log. */
export interface RecordedLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
  readonly error: unknown;
}

/** A logger whose lines can be read. */
export function recordLog(): { readonly log: Logger; readonly lines: readonly RecordedLine[] } {
  const lines: RecordedLine[] = [];
  const at =
    (level: RecordedLine["level"]) =>
    (message: string, fields: LogFields = {}, error?: unknown): void =>
      void lines.push({ level, message, fields, error });
  const log: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), with: () => log };
  return { log, lines };
}
