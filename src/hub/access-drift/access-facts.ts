// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import type { ClusterAuthorizers } from "../../index/access/judge-grants.ts";
import type { AccessReportFacts, ReviewRight } from "../../session/access-samples/access-sample.ts";
import type { SessionHandlers } from "../sessions/session-events.ts";

/** What is known of the authorizers of a cluster. */
export interface AuthorizerFacts {
  readonly authorizers: ClusterAuthorizers;
  /** The API server's reason, or why they are not known; "" without one. For administrators. */
  readonly detail: string;
}

/** What the sessions of one cluster have shown. Times are on the hub's monotonic clock. */
interface ReportedAccess {
  /** The live session, or the last one. */
  readonly epoch: number;
  readonly beganMs: number;
  readonly isLive: boolean;
  /** The newest report, possibly of an earlier session. */
  readonly report: AccessReportFacts | undefined;
  readonly reportedEpoch: number | undefined;
}

/** 60 s: an agent sends its report in the first seconds of a session, or its API server does not answer (RB78). */
const reportLimitMs = 60_000;

const notReported = "The agent has not reported the authorizers of its cluster.";

/**
 * The newest access report of each cluster's agent (SE62). In memory: each session reports again. Sessions of other
 * shards are ignored: they do not feed the fleet's rows (SE1).
 */
export class AccessFacts {
  readonly #clock: Clock;
  readonly #byCluster = new Map<string, ReportedAccess>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly handlers = {
    began: ({ session: { cluster, shard, epoch }, nowMs }) => {
      if (shard !== "") return;
      const before = this.#byCluster.get(cluster);
      const { report, reportedEpoch } = before ?? { report: undefined, reportedEpoch: undefined };
      this.#byCluster.set(cluster, { epoch, beganMs: nowMs, isLive: true, report, reportedEpoch });
    },
    accessReported: ({ session: { cluster, shard, epoch }, report }) => {
      const before = this.#byCluster.get(cluster);
      if (shard === "" && before?.epoch === epoch)
        this.#byCluster.set(cluster, { ...before, report, reportedEpoch: epoch });
    },
    ended: ({ session: { cluster, shard, epoch } }) => {
      const before = this.#byCluster.get(cluster);
      if (shard === "" && before?.epoch === epoch) this.#byCluster.set(cluster, { ...before, isLive: false });
    },
  } satisfies SessionHandlers;

  /** RB78. */
  of(cluster: string): AuthorizerFacts {
    const access = this.#byCluster.get(cluster);
    if (access?.report === undefined || this.#isOutdated(access))
      return { authorizers: "unknown", detail: notReported };
    const { authorizers, detail } = access.report;
    return { authorizers, detail };
  }

  /** Whether the agent of the live session reviews access; undefined without a session that has reported it. */
  reviewRight(cluster: string): ReviewRight | undefined {
    const access = this.#byCluster.get(cluster);
    return access?.isLive === true && access.reportedEpoch === access.epoch ? access.report?.reviews : undefined;
  }

  /** The clusters whose agents review access now. */
  *reviewing(): Generator<string, void, undefined> {
    for (const cluster of this.#byCluster.keys()) if (this.reviewRight(cluster) === "allowed") yield cluster;
  }

  forget(cluster: string): void {
    this.#byCluster.delete(cluster);
  }

  /** The agent of this session has had its time, and is not one that reports. */
  #isOutdated({ isLive, epoch, reportedEpoch, beganMs }: ReportedAccess): boolean {
    return isLive && reportedEpoch !== epoch && this.#clock.nowMs() - beganMs >= reportLimitMs;
  }
}
