// SPDX-License-Identifier: Apache-2.0

import type { HealthInput } from "../../health/health-input.ts";
import { type ClusterId, parseClusterId } from "../../model/cluster-id.ts";
import type { HeartbeatFacts, SessionFacts, SessionHandlers } from "../sessions/session-events.ts";
import type { ClusterHealth } from "./cluster-health.ts";

/** The collecting shard. Only its sessions feed the fleet's rows (SE1). */
const collectingShard = "";

/** Feeds session events to the monitor. Sessions of other shards are ignored. */
export function createHealthHandlers(health: ClusterHealth) {
  const feed = ({ cluster, shard }: Pick<SessionFacts, "cluster" | "shard">, input: HealthInput): void => {
    if (shard === collectingShard) health.feed(toClusterId(cluster), input);
  };
  return {
    began({ session, kinds }) {
      if (session.shard !== collectingShard) return;
      health.add(toClusterId(session.cluster));
      const { epoch, heartbeatMs } = session;
      feed(session, { kind: "sessionBegan", epoch, heartbeatMs, kinds });
    },
    ended({ session, ending }) {
      const detail = ending.kind === "lost" ? ending.detail : ending.reason;
      const hasOwnReason = ending.kind === "lost" && (ending.reason === "superseded" || ending.reason === "refused");
      const endingKind = hasOwnReason ? ending.reason : ending.kind;
      feed(session, { kind: "sessionEnded", epoch: session.epoch, ending: endingKind, detail });
    },
    rejected({ attempt }) {
      const { reason, retryAfterMs, detail } = attempt;
      feed(attempt, { kind: "attemptRejected", reason, retryAfterMs, detail });
    },
    heartbeat({ session, heartbeat }) {
      feed(session, toHeartbeat(session.epoch, heartbeat));
    },
    kindStatuses({ session, kinds }) {
      feed(session, { kind: "kindStatuses", epoch: session.epoch, kinds });
    },
    compared({ session, comparison: { equal, differing } }) {
      feed(session, { kind: "compared", epoch: session.epoch, equal, differing });
    },
    received({ session: { cluster, shard }, received }) {
      if (shard === collectingShard) health.noteReceived(toClusterId(cluster), received);
    },
  } satisfies SessionHandlers;
}

/** Only restores the type: the id was validated when it was received. */
function toClusterId(text: string): ClusterId {
  return parseClusterId(text);
}

function toHeartbeat(epoch: number, facts: HeartbeatFacts): HealthInput {
  return {
    kind: "heartbeat",
    epoch,
    apiServer: {
      fault: facts.apiServerFault,
      sinceMsAgo: facts.apiServerSinceMsAgo,
      error: facts.apiServerError,
      attemptCount: facts.apiServerAttemptCount,
      retryInMs: facts.apiServerRetryInMs,
    },
    oldestWaitingMs: facts.waitingRowCount === 0 && facts.oldestWaitingMs === 0 ? undefined : facts.oldestWaitingMs,
  };
}
