// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import type { RejectionFacts } from "../fleet/fleet-observer.ts";

/** An agent that is refused comes back every few seconds, for days: one entry an hour says as much. */
const silenceMs = 3_600_000;

/** Different rejections remembered of one cluster. Beyond, the oldest is forgotten and would be told again. */
const maxKindCount = 16;

/**
 * Which rejections were told lately. Somebody who proved no key can claim any agent id, so what tells such rejections apart is the reason alone, and
 * nobody can fill a cluster's history.
 */
export class RejectionMemory {
  readonly #clock: Clock;
  /** When each was last told, by cluster and then by what it is, the oldest first. */
  readonly #told = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True where the like was not told within the hour; then it counts as told. */
  isNew({ cluster, reason, agentId, isProven }: RejectionFacts): boolean {
    const told = this.#told.get(cluster) ?? new Map<string, number>();
    this.#told.set(cluster, told);
    const kind = isProven ? `${reason} ${agentId}` : reason;
    const nowMs = this.#clock.nowMs();
    const toldMs = told.get(kind);
    if (toldMs !== undefined && nowMs - toldMs < silenceMs) return false;
    told.delete(kind);
    told.set(kind, nowMs);
    const [oldest] = told.keys();
    if (told.size > maxKindCount && oldest !== undefined) told.delete(oldest);
    return true;
  }

  /** A session was accepted, or the cluster is gone: what comes next is news. */
  forget(cluster: string): void {
    this.#told.delete(cluster);
  }
}
