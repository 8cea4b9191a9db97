// SPDX-License-Identifier: Apache-2.0
import { parseClusterId } from "../../model/cluster-id.ts";
import type { ClusterRecord } from "../clusters/cluster-record.ts";
import type { FleetParts } from "./fleet-parts.ts";

/** The result of "retry now". */
export interface RetryAnswer {
  /** The agent is connected and was asked, now or less than a second ago. */
  readonly wasAsked: boolean;
  /** The result as one sentence. */
  readonly sentence: string;
}

/**
 * Asks a cluster's agent to try its API server now (SE45). The hub never dials, so a disconnected agent cannot be
 * asked; the sentence then gives its own next attempt, as far as known.
 */
export function retryCluster({ fleet, health, clock }: FleetParts, { id, isApproved }: ClusterRecord): RetryAnswer {
  switch (fleet.sessions.askForProbe(id)) {
    case "asked":
      return { wasAsked: true, sentence: `The agent of ${id} was asked to try its API server now.` };
    case "askedBefore":
      return { wasAsked: true, sentence: `The agent of ${id} was asked less than a second ago.` };
    case "notConnected": {
      const nextAttemptMs = health.get(parseClusterId(id))?.connection.nextAttemptMs;
      const waitMs = nextAttemptMs === undefined ? undefined : nextAttemptMs - clock.nowMs();
      return { wasAsked: false, sentence: `The agent of ${id} is not connected; ${whenItDials(isApproved, waitMs)}.` };
    }
  }
}

/** When a disconnected agent dials next, as far as the hub knows. */
function whenItDials(isApproved: boolean, waitMs: number | undefined): string {
  if (!isApproved) return "it can connect when the cluster is approved";
  if (waitMs === undefined || waitMs <= 0) return "it dials the hub by itself, and the hub does not know when";
  return `it dials the hub by itself, next in about ${Math.ceil(waitMs / 1_000)} s`;
}
