// SPDX-License-Identifier: Apache-2.0
import type { FleetObserver } from "../fleet/fleet-observer.ts";

/** When an agent's credential for its API server ends, and from when on people are warned; by the hub's monotonic clock (SE46). */
export interface CredentialTerm {
  readonly endsMs: number;
  readonly warnMs: number;
}

/** 7 days: somebody can renew it within a working week. */
const longestWarningMs = 7 * 86_400_000;

/** What renews itself does so at 80 % of its lifetime (kubelet), so a tenth before the end it should long have been. */
const warningShare = 0.1;

/** Each heartbeat tells a duration, which differs by the time it takes; an end that moved by less is the same one, and nobody is shown a change. */
const sameEndMs = 60_000;

/** What agents said last of their credentials. It stays while an agent is away: an end may be why it is. */
export class CredentialTerms {
  readonly #byCluster = new Map<string, CredentialTerm>();

  /** Sessions of other shards say nothing of the picture (SE1). */
  readonly observer: Pick<FleetObserver, "heartbeat"> = {
    heartbeat: ({ cluster, shard }, { credential }, nowMs) => {
      if (shard !== "") return;
      if (credential === undefined) {
        this.#byCluster.delete(cluster);
        return;
      }
      const endsMs = nowMs + credential.endsInMs;
      const before = this.#byCluster.get(cluster);
      if (before !== undefined && Math.abs(before.endsMs - endsMs) < sameEndMs) return;
      const { lifetimeMs } = credential;
      const warningMs = lifetimeMs === 0 ? longestWarningMs : Math.min(longestWarningMs, lifetimeMs * warningShare);
      this.#byCluster.set(cluster, { endsMs, warnMs: endsMs - warningMs });
    },
  };

  /** Undefined where no end is known. */
  of(cluster: string): CredentialTerm | undefined {
    return this.#byCluster.get(cluster);
  }

  forget(cluster: string): void {
    this.#byCluster.delete(cluster);
  }
}
