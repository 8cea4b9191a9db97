// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { priorityClassStrategy } from "./priority-class.ts";

/** The resources of the group `scheduling.k8s.io`. */
export const schedulingStrategies: ReadonlyMap<string, Strategy> = new Map([
  ["priorityclasses", priorityClassStrategy],
]);
