// SPDX-License-Identifier: Apache-2.0
import { lineKeys } from "./names.ts";

/** Takes finished lines, each with its newline. */
export interface LogSink {
  write(line: string): void;
}

/** `auto` is `pretty` on a terminal and `json` elsewhere. */
export type LogFormat = "auto" | "json" | "pretty";

export interface LogSinkOptions {
  readonly format: LogFormat;
  /** Where lines end up, usually standard error. */
  readonly stream: LogSink;
  /** True when somebody reads the stream as it is written. */
  readonly isTerminal: boolean;
}

/** A sink that writes lines to `stream` in the wanted form. The formatter for people is loaded only where it is used. */
export async function openLogSink({ format, stream, isTerminal }: LogSinkOptions): Promise<LogSink> {
  const isPretty = format === "pretty" || (format === "auto" && isTerminal);
  if (!isPretty) return stream;
  const { prettyFactory } = await import("pino-pretty");
  const toPretty = prettyFactory({
    colorize: isTerminal,
    messageKey: lineKeys.message,
    timestampKey: lineKeys.time,
    levelKey: lineKeys.level,
    errorLikeObjectKeys: [],
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
  });
  return { write: (line) => stream.write(toPretty(line)) };
}
