// SPDX-License-Identifier: Apache-2.0
import type { SessionHandlers } from "../sessions/session-events.ts";

/**
 * The end of an agent's credential for its API server, and the start of warnings about it, on the hub's monotonic clock
 * (SE46).
 */
export interface CredentialWarning {
  readonly endsMs: number;
  readonly warnMs: number;
}

/** 7 days: enough to renew it within a working week. */
const longestWarningMs = 7 * 86_400_000;

/** Automatic renewal happens at 80 % of the lifetime (kubelet), so it is overdue in the last tenth. */
const warningShare = 0.1;

/**
 * Heartbeats carry a remaining duration, which varies with transit time. An end that moved by less than this is
 * unchanged and shows no change.
 */
const sameEndMs = 60_000;

/**
 * The newest credential term reported by each agent. Kept while an agent is disconnected: an expired credential can be
 * the cause.
 */
export class CredentialTerms {
  readonly #byCluster = new Map<string, CredentialWarning>();

  /** Sessions of other shards are ignored: they do not feed the fleet's rows (SE1). */
  readonly handlers = {
    heartbeat: ({ session: { cluster, shard }, heartbeat: { credential }, nowMs }) => {
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
  } satisfies SessionHandlers;

  /** Undefined when no end is known. */
  of(cluster: string): CredentialWarning | undefined {
    return this.#byCluster.get(cluster);
  }

  forget(cluster: string): void {
    this.#byCluster.delete(cluster);
  }
}
