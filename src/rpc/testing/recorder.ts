// SPDX-License-Identifier: Apache-2.0
import type { LogFields, Logger } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";

/** One line that was logged. */
export interface LoggedLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
  readonly error: unknown;
}

/** A logger that keeps its lines. `next` resolves with the first matching line, past or future. */
export interface RecordingLogger extends Logger {
  readonly lines: readonly LoggedLine[];
  next(fits: (line: LoggedLine) => boolean): Promise<LoggedLine>;
}

export function createRecordingLogger(): RecordingLogger {
  const lines: LoggedLine[] = [];
  const waiting = new Set<(line: LoggedLine) => void>();
  const add = (line: LoggedLine): void => {
    lines.push(line);
    for (const check of waiting) check(line);
  };
  const at = (base: LogFields): Logger => ({
    debug: (message, fields) => add({ level: "debug", message, fields: { ...base, ...fields }, error: undefined }),
    info: (message, fields) => add({ level: "info", message, fields: { ...base, ...fields }, error: undefined }),
    warn: (message, fields, error) => add({ level: "warn", message, fields: { ...base, ...fields }, error }),
    error: (message, fields, error) => add({ level: "error", message, fields: { ...base, ...fields }, error }),
    with: (fields) => at({ ...base, ...fields }),
  });
  const next = (fits: (line: LoggedLine) => boolean): Promise<LoggedLine> =>
    new Promise((resolve) => {
      const found = lines.find(fits);
      if (found !== undefined) {
        resolve(found);
        return;
      }
      const check = (line: LoggedLine): void => {
        if (!fits(line)) return;
        waiting.delete(check);
        resolve(line);
      };
      waiting.add(check);
    });
  return { ...at({}), lines, next };
}

/** Metrics that keep the last value, or the sum of a counter, under `name{label="value"}`. */
export interface RecordingMetrics extends Metrics {
  value(sample: string): number;
  readonly samples: ReadonlyMap<string, number>;
}

export function createRecordingMetrics(): RecordingMetrics {
  const samples = new Map<string, number>();
  const keyOf = (name: string, labels: Readonly<Record<string, string>>): string =>
    `${name}{${Object.entries(labels)
      .map(([label, value]) => `${label}="${value}"`)
      .join(",")}}`;
  return {
    samples,
    value: (sample) => samples.get(sample) ?? 0,
    counter: ({ name }) => ({
      add(labels, by = 1) {
        const key = keyOf(name, labels);
        samples.set(key, (samples.get(key) ?? 0) + by);
      },
    }),
    gauge: ({ name }) => ({ set: (labels, value) => void samples.set(keyOf(name, labels), value) }),
    histogram: ({ name }) => ({ observe: (labels, value) => void samples.set(keyOf(name, labels), value) }),
  };
}
