// SPDX-License-Identifier: Apache-2.0
import { parseClusterId } from "../../model/cluster-id.ts";
import type { ClusterRecord } from "../fleet/cluster-record.ts";
import type { FleetParts } from "./fleet-parts.ts";

/** What came of "retry now", as it is told. */
export interface RetryAnswer {
  /** Its agent is connected and was asked, now or less than a second ago. */
  readonly wasAsked: boolean;
  /** One sentence. */
  readonly sentence: string;
}

/**
 * Has the agent of a cluster try its API server now (SE45). An agent that is not connected cannot be asked: the hub never dials, so what is known of
 * its own next attempt is said instead.
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

/** What is known of the next attempt of an agent that is not connected. */
function whenItDials(isApproved: boolean, waitMs: number | undefined): string {
  if (!isApproved) return "it is let in when the cluster is approved";
  if (waitMs === undefined || waitMs <= 0) return "it dials the hub by itself, at a time that only it knows";
  return `it dials the hub by itself, next in about ${Math.ceil(waitMs / 1_000)} s`;
}
