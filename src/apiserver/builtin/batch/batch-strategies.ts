// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { cronJobStrategy } from "./cron-job.ts";
import { jobStrategy } from "./job.ts";

/** The resources of the group `batch`. */
export const batchStrategies: ReadonlyMap<string, Strategy> = new Map([
  ["jobs", jobStrategy],
  ["cronjobs", cronJobStrategy],
]);
