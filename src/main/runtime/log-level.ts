// SPDX-License-Identifier: Apache-2.0
import type { ConfigOf } from "../config/option-table.ts";

type GivenLevel = ConfigOf<"hub">["logLevel"];

/**
 * Resolves `--log-level`. `auto` is `info`, or `warn` if `isQuiet`, so that log lines do not hide the output on a
 * terminal.
 */
export function toLogLevel(level: GivenLevel, isQuiet = false): Exclude<GivenLevel, "auto"> {
  if (level !== "auto") return level;
  return isQuiet ? "warn" : "info";
}
