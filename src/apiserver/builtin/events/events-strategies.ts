// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { eventV1Strategy } from "./events-group-event.ts";

/** The resources of the group `events.k8s.io`. */
export const eventsStrategies: ReadonlyMap<string, Strategy> = new Map([["events", eventV1Strategy]]);
