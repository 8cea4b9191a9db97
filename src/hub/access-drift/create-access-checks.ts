// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { GrantsFacts } from "../../index/access/judge-grants.ts";
import type { Store } from "../../store/store.ts";
import type { SessionHandlers } from "../sessions/session-events.ts";
import type { SessionTable } from "../sessions/session-table.ts";
import { AccessDrift } from "./access-drift.ts";
import { AccessFacts } from "./access-facts.ts";
import { PendingReviews } from "./pending-reviews.ts";
import type { AccessSampler } from "./sample-round.ts";

export interface AccessChecksOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly sessions: Pick<SessionTable, "reviewAccess">;
  readonly sampler: AccessSampler;
  /** `--access-samples`. */
  readonly samplesPerMinute: number;
  /** See `AccessDriftOptions`. */
  readonly isCurrent: (cluster: string) => boolean;
  /** Called after the drift of a cluster has changed. */
  readonly onDrift?: (cluster: string) => void;
}

/** What judges the grants of a cluster, besides their age: its authorizers, and how its own answers differ. */
export interface AccessEvidence {
  of(cluster: string): Pick<GrantsFacts, "authorizers" | "drift">;
}

/** The authorizers and the drift of all clusters. */
export interface AccessChecks {
  readonly facts: AccessFacts;
  readonly drift: AccessDrift;
  /** For `GrantsMonitor`. */
  readonly evidence: AccessEvidence;
  /** To be subscribed to the session feed. */
  readonly handlers: readonly SessionHandlers[];
  /** Drops what is known of a removed cluster. */
  forget(cluster: string): void;
  /** Reads the drift that was found before. No row may be shown before it is known (RB83). */
  load(): Promise<void>;
  /** Compares samples until the signal aborts; then rejects with its reason. */
  run(signal: AbortSignal): Promise<void>;
}

/** Creates the checks. Nothing is compared before `run`. */
export function createAccessChecks(options: AccessChecksOptions): AccessChecks {
  const facts = new AccessFacts(options.clock);
  const reviews = new PendingReviews(options);
  const drift = new AccessDrift({ ...options, facts, reviews });
  return {
    facts,
    drift,
    evidence: {
      of: (cluster) => ({ authorizers: facts.of(cluster).authorizers, drift: drift.of(cluster) }),
    },
    handlers: [facts.handlers, reviews.handlers],
    forget(cluster) {
      facts.forget(cluster);
      drift.forget(cluster);
    },
    load: () => drift.load(),
    run: (signal) => drift.run(signal),
  };
}
