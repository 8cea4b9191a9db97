// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { FleetCounters } from "../fleet/fleet-counters.ts";
import type { SessionHandlers } from "./session-events.ts";

/** Counts and logs rejected attempts, refused messages and lost sessions. */
export function createSessionTelemetry(counters: FleetCounters, log: Logger): SessionHandlers {
  return {
    rejected({ attempt: { cluster, agentId: agent, address: peer, reason, detail } }) {
      counters.rejections.add({ reason });
      log.info("session rejected", { cluster, agent, peer, reason, detail });
    },
    messageRefused({ cluster, address: peer, refusal: { reason, detail } }) {
      counters.refusals.add({ cluster, reason });
      log.warn("message refused", { cluster, peer, reason, detail });
    },
    messageUnknown: () => counters.unknownMessages.add({}),
    ended({ ending }) {
      if (ending.kind === "lost") counters.losses.add({ reason: ending.reason });
    },
  };
}
