// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { endpointSliceStrategy } from "./endpoint-slice.ts";

/** The resources of the group `discovery.k8s.io`. */
export const discoveryStrategies: ReadonlyMap<string, Strategy> = new Map([["endpointslices", endpointSliceStrategy]]);
