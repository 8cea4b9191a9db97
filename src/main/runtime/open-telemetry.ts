// SPDX-License-Identifier: Apache-2.0

import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Io } from "../../cli/output/io.ts";
import { openLogSink } from "../../telemetry/log-sink.ts";
import { createPinoLogger } from "../../telemetry/pino-logger.ts";
import { PromMetrics } from "../../telemetry/prom-metrics.ts";
import type { ConfigOf } from "../config/option-table.ts";
import { toLogLevel } from "./log-level.ts";

/** The log and the metrics of a hub or an agent process. */
export interface Telemetry {
  readonly log: Logger;
  readonly metrics: PromMetrics;
}

/** Opens the log, which goes to standard error, and the metrics of the process. */
export async function openTelemetry(
  config: Pick<ConfigOf<"hub">, "logFormat" | "logLevel">,
  { io, clock }: { readonly io: Io; readonly clock: Clock },
): Promise<Telemetry> {
  const sink = await openLogSink({ format: config.logFormat, stream: io.stderr, isTerminal: io.stderr.isTerminal });
  const log = createPinoLogger({ level: toLogLevel(config.logLevel), sink, clock });
  return { log, metrics: new PromMetrics({ ofProcess: true }) };
}
