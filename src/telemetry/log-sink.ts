// SPDX-License-Identifier: Apache-2.0
import { lineKeys } from "./metric-names.ts";

/** An output for complete log lines, each with its newline. */
export interface LogSink {
  write(line: string): void;
}

/** `auto` is `pretty` on a terminal and `json` elsewhere. */
export type LogFormat = "auto" | "json" | "pretty";

export interface LogSinkOptions {
  readonly format: LogFormat;
  /** The destination, usually standard error. */
  readonly stream: LogSink;
  /** True if the stream is a terminal. */
  readonly isTerminal: boolean;
}

/** A sink that writes lines to `stream` in the given format. The pretty formatter is loaded only if it is used. */
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
