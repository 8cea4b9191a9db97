// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { leaseStrategy } from "./lease.ts";

/** The resources of the group `coordination.k8s.io`. */
export const coordinationStrategies: ReadonlyMap<string, Strategy> = new Map([["leases", leaseStrategy]]);
