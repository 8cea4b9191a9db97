// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { autoscalerStrategy } from "./horizontal-pod-autoscaler.ts";

/** The resources of the group `autoscaling`, at the version they are stored in (v2). */
export const autoscalingStrategies: ReadonlyMap<string, Strategy> = new Map([
  ["horizontalpodautoscalers", autoscalerStrategy],
]);
