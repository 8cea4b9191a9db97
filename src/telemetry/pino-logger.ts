// SPDX-License-Identifier: Apache-2.0
import { type Logger as Pino, pino } from "pino";
import type { LogFields, Logger } from "../base/log.ts";
import type { Clock } from "../base/time/clock.ts";
import { describeError } from "./describe-error.ts";
import type { LogSink } from "./log-sink.ts";
import { lineKeys } from "./metric-names.ts";
import { isSecretName, mask, maskSecretText, toSafeText } from "./redact.ts";

/** Minimum level of written lines; `silent` writes none. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export interface PinoLoggerOptions {
  readonly level: LogLevel;
  readonly sink: LogSink;
  /** Source of each line's timestamp. */
  readonly clock: Pick<Clock, "wallMs">;
  /** Fields of every line, such as component and version. */
  readonly fields?: LogFields;
}

/**
 * A Logger that writes one JSON object per line. No secret reaches the sink: fields with a secret's name are masked,
 * and the finished line is searched for text in the form of a secret, which covers message, ids, causes and field
 * names.
 */
export function createPinoLogger({ level, sink, clock, fields = {} }: PinoLoggerOptions): Logger {
  const output = pino(
    {
      level,
      base: null,
      messageKey: lineKeys.message,
      timestamp: () => `,"${lineKeys.time}":"${new Date(clock.wallMs()).toISOString()}"`,
      formatters: { level: (label) => ({ [lineKeys.level]: label }) },
      serializers: {},
    },
    { write: (line: string) => sink.write(maskSecretText(line)) },
  );
  return new PinoLogger(output, toSafeFields(fields));
}

type SafeFields = Readonly<Record<string, string | number | boolean>>;

class PinoLogger implements Logger {
  readonly #output: Pino;
  readonly #fields: SafeFields;

  constructor(output: Pino, fields: SafeFields) {
    this.#output = output;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    if (this.#output.isLevelEnabled("debug")) this.#output.debug(this.#line(fields), toSafeText(message));
  }

  info(message: string, fields?: LogFields): void {
    if (this.#output.isLevelEnabled("info")) this.#output.info(this.#line(fields), toSafeText(message));
  }

  warn(message: string, fields?: LogFields, error?: unknown): void {
    if (this.#output.isLevelEnabled("warn")) this.#output.warn(this.#line(fields, error), toSafeText(message));
  }

  error(message: string, fields?: LogFields, error?: unknown): void {
    if (this.#output.isLevelEnabled("error")) this.#output.error(this.#line(fields, error), toSafeText(message));
  }

  with(fields: LogFields): Logger {
    return new PinoLogger(this.#output, { ...this.#fields, ...toSafeFields(fields) });
  }

  /** One object per line and not a pino child logger, which would write a repeated field twice. */
  #line(fields?: LogFields, error?: unknown): object {
    return {
      ...this.#fields,
      ...(fields === undefined ? undefined : toSafeFields(fields)),
      ...(error === undefined ? undefined : { [lineKeys.error]: describeError(error) }),
    };
  }
}

const reservedNames = new Set<string>(Object.values(lineKeys));

function toSafeFields(fields: LogFields): SafeFields {
  const safe: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const key = reservedNames.has(name) ? `${name}_` : name;
    safe[key] = isSecretName(name) ? mask : typeof value === "string" ? toSafeText(value) : value;
  }
  return safe;
}
