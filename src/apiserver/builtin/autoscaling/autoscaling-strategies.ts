// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { autoscalerStrategy } from "./horizontal-pod-autoscaler.ts";

/** The resources of the group `autoscaling` in their storage version, v2. */
export const autoscalingStrategies: ReadonlyMap<string, Strategy> = new Map([
  ["horizontalpodautoscalers", autoscalerStrategy],
]);
