// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import type { KindFreshness } from "../../health/kind-freshness.ts";
import {
  type AuthorizerMode,
  defaultGrantsBoundMs,
  type GrantsFacts,
  type GrantsJudgement,
  judgeGrants,
} from "../../index/access/judge-grants.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { isRbacResource } from "../../model/rbac-resources.ts";
import type { ClusterHealth } from "../health/cluster-health.ts";
import type { GrantsLag } from "./grants-lag.ts";

/** The interval of judgements: short beside the bound of 150 s, and long beside the work of 500 clusters. */
const intervalMs = 2_000;

export interface GrantsMonitorOptions {
  readonly clock: Clock;
  readonly health: Pick<ClusterHealth, "kinds">;
  /** The ids of all clusters. */
  readonly clusters: () => Iterable<string>;
  readonly isRbacComplete: (cluster: string) => boolean;
  /** Whether the agent of a cluster has a session with this hub. */
  readonly isConnected: (cluster: string) => boolean;
  /** Whether such a session shows that the RBAC rows of a cluster are current. */
  readonly areGrantsCurrent: (cluster: string) => boolean;
  /** The clusters whose grants were found to be behind. */
  readonly lag: Pick<GrantsLag, "has" | "set">;
  /** Called when the rows of a cluster begin to be withheld for a reason besides incomplete RBAC rows, and when that ends. */
  readonly setWithheld: (cluster: string, isWithheld: boolean) => void;
  /** The authorizers of a cluster, and how its own answers differ from ours. */
  readonly evidence: { of(cluster: string): Pick<GrantsFacts, "authorizers" | "drift"> };
  /** `--authorizer-mode`. */
  readonly mode: AuthorizerMode;
  /** The bound of L17. */
  readonly boundMs?: number;
}

/**
 * Judges by the age of each cluster's grants whether its rows are shown. A cluster that is away as a whole stays
 * shown: its rows and grants are of the same moment.
 */
export class GrantsMonitor {
  readonly #options: GrantsMonitorOptions;
  readonly #withheld = new Set<string>();

  constructor(options: GrantsMonitorOptions) {
    this.#options = options;
  }

  /** Judges periodically until the signal aborts; rejects with its reason. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      this.judgeAll();
      await this.#options.clock.sleep(intervalMs, signal);
    }
  }

  /** The newest judgement of a cluster. */
  of(cluster: string): GrantsJudgement {
    return judgeGrants(this.#factsOf(cluster));
  }

  /** Judges a registered cluster now: before its rows are shown, and when its drift has changed (RB84). */
  judge(cluster: string): void {
    this.#noteLag(cluster);
    // `RowVisibility` follows incomplete RBAC rows. Here they hide no other reason: it must hold when they are complete.
    const { kind } = judgeGrants({ ...this.#factsOf(cluster), isRbacComplete: true });
    const isWithheld = kind === "withheld";
    if (isWithheld === this.#withheld.has(cluster)) return;
    if (isWithheld) this.#withheld.add(cluster);
    else this.#withheld.delete(cluster);
    this.#options.setWithheld(cluster, isWithheld);
  }

  judgeAll(): void {
    const present = new Set(this.#options.clusters());
    for (const id of this.#withheld.difference(present)) {
      this.#withheld.delete(id);
      this.#options.setWithheld(id, false);
    }
    for (const id of present) this.judge(id);
  }

  /** A restarted hub does not know ages before a session reports them, so that grants are behind is stored (RB85). */
  #noteLag(cluster: string): void {
    const { lag, isConnected, boundMs = defaultGrantsBoundMs } = this.#options;
    // What this hub knew when a session ended may be outdated: another hub may have the next one.
    if (!isConnected(cluster)) return;
    const isBehind = this.#behindMs(cluster) >= boundMs;
    if (isBehind !== lag.has(cluster)) lag.set(cluster, isBehind);
  }

  /** Grants that were behind are so until a session shows that they are current. */
  #behindMs(cluster: string): number {
    const { health, lag, areGrantsCurrent, boundMs = defaultGrantsBoundMs } = this.#options;
    const behindMs = grantsBehindMs(health.kinds(parseClusterId(cluster)));
    return behindMs < boundMs && lag.has(cluster) && !areGrantsCurrent(cluster) ? Number.POSITIVE_INFINITY : behindMs;
  }

  #factsOf(cluster: string): GrantsFacts {
    const { isRbacComplete, boundMs, evidence, mode } = this.#options;
    return {
      isRbacComplete: isRbacComplete(cluster),
      grantsBehindMs: this.#behindMs(cluster),
      ...(boundMs === undefined ? {} : { boundMs }),
      ...evidence.of(cluster),
      mode,
    };
  }
}

/** By how much the oldest RBAC rows are older than the newest other rows. Kinds that were never listed do not count. */
export function grantsBehindMs(kinds: readonly KindFreshness[]): number {
  const ageOf = ({ isCurrent, ageMs }: KindFreshness): number | undefined => (isCurrent ? 0 : ageMs);
  const agesOf = (isRbac: boolean): number[] =>
    kinds.flatMap((kind) => (isRbacResource(kind.resource) === isRbac ? (ageOf(kind) ?? []) : []));
  const [grants, rows] = [agesOf(true), agesOf(false)];
  if (grants.length === 0 || rows.length === 0) return 0;
  return Math.max(0, Math.max(...grants) - Math.min(...rows));
}
