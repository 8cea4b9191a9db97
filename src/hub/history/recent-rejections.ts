// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import type { RejectionFacts } from "../sessions/session-events.ts";

/** A refused agent retries every few seconds, for days: one entry an hour is enough. */
const silenceMs = 3_600_000;

/** Distinct rejections remembered per cluster. Beyond this the oldest is forgotten and would be recorded again. */
const maxKindCount = 16;

/**
 * Suppresses repeated rejections in a cluster's history. A client that proved no key can claim any agent id, so
 * unproven rejections are distinguished by reason only and cannot fill the history.
 */
export class RecentRejections {
  readonly #clock: Clock;
  /** Time of the last record, by cluster and rejection, oldest first. */
  readonly #recordedMs = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if the same rejection was not recorded within the hour; it then counts as recorded. */
  isNew({ cluster, reason, agentId, isProven }: RejectionFacts): boolean {
    const recorded = this.#recordedMs.get(cluster) ?? new Map<string, number>();
    this.#recordedMs.set(cluster, recorded);
    const kind = isProven ? `${reason} ${agentId}` : reason;
    const nowMs = this.#clock.nowMs();
    const lastMs = recorded.get(kind);
    if (lastMs !== undefined && nowMs - lastMs < silenceMs) return false;
    recorded.delete(kind);
    recorded.set(kind, nowMs);
    const [oldest] = recorded.keys();
    if (recorded.size > maxKindCount && oldest !== undefined) recorded.delete(oldest);
    return true;
  }

  /** Called when a session is accepted or the cluster is removed: the next rejection is new. */
  forget(cluster: string): void {
    this.#recordedMs.delete(cluster);
  }
}
