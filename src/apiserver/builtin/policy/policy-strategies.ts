// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { podDisruptionBudgetStrategy } from "./pod-disruption-budget.ts";

/** The resources of the group `policy`. */
export const policyStrategies: ReadonlyMap<string, Strategy> = new Map([
  ["poddisruptionbudgets", podDisruptionBudgetStrategy],
]);
