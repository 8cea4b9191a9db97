// SPDX-License-Identifier: Apache-2.0
import type { ConfigOf } from "./config/option-table.ts";

type GivenLevel = ConfigOf<"hub">["logLevel"];

/** The level that `--log-level` means. `auto` is `info`, or `warn` where the lines would bury what a person reads on the terminal. */
export function toLogLevel(level: GivenLevel, isQuiet = false): Exclude<GivenLevel, "auto"> {
  if (level !== "auto") return level;
  return isQuiet ? "warn" : "info";
}
