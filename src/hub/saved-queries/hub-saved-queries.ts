// SPDX-License-Identifier: Apache-2.0
// Composes the saved and standing queries of a hub.
import { orAborted } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { ServiceEntry } from "../../rpc/server/connect-router.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { FleetTask } from "../fleet-tasks.ts";
import type { SendWebhook } from "../health/webhook.ts";
import type { TokenRegistry } from "../tokens/token-registry.ts";
import { standingQueryCounts } from "./query-limits.ts";
import { createSavedQueryService, type SavedQueryServiceOptions } from "./saved-query-service.ts";
import { createStandingCounters } from "./standing-counters.ts";
import { StandingQueries } from "./standing-queries.ts";
import type { QueryOwner } from "./standing-query-record.ts";

/** Settings of standing queries, and the port for their deliveries. */
export interface StandingQuerySettings {
  /** `--allow-loopback-webhooks`. */
  readonly allowsLoopback: boolean;
  /** `--standing-queries-per-owner`. */
  readonly countPerOwner: number;
  /** Users give the URLs, so it must check the address that it dials (SQ7). */
  readonly send: SendWebhook;
}

/** The tokens of the hub, as far as owners of standing queries need them. */
export type OwnerTokens = Pick<TokenRegistry, "hasValidToken" | "loaded">;

export interface HubSavedQueriesOptions
  extends Pick<SavedQueryServiceOptions, "store" | "audit" | "authorizer" | "queriesOf" | "clock" | "random"> {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clusters: Pick<ClusterRegistry, "list" | "loaded">;
  /** Whether the rows of a registered cluster are loaded and not withheld. */
  readonly isReadable: (cluster: string) => boolean;
  /** Left out, or without `tokens`: standing queries can neither be created nor are they evaluated. */
  readonly standing: StandingQuerySettings | undefined;
  readonly tokens: OwnerTokens | undefined;
}

export interface HubSavedQueries {
  readonly service: ServiceEntry;
  readonly tasks: readonly FleetTask[];
}

/** Creates the service, and the task that evaluates the standing queries. Nothing runs before the task. */
export function createHubSavedQueries(options: HubSavedQueriesOptions): HubSavedQueries {
  const { standing, tokens } = options;
  const isEvaluated = standing !== undefined && tokens !== undefined;
  const service = createSavedQueryService({
    ...options,
    allowsLoopback: standing?.allowsLoopback ?? false,
    standingCounts: { ...standingQueryCounts, perOwner: isEvaluated ? standing.countPerOwner : 0 },
  });
  return { service, tasks: isEvaluated ? [createTask(options, standing, tokens)] : [] };
}

function createTask(options: HubSavedQueriesOptions, { send }: StandingQuerySettings, tokens: OwnerTokens): FleetTask {
  const { store, audit, clock, random, log, metrics, queriesOf, clusters, isReadable } = options;
  const queries = new StandingQueries({
    store,
    audit,
    clock,
    random,
    log,
    queriesOf,
    findOwnerFault: (owner) => findOwnerFault(tokens, owner),
    unreadClusters: () => new Set(clusters.list().flatMap(({ id }) => (isReadable(id) ? [] : [id]))),
    send,
    counters: createStandingCounters(metrics),
  });
  return async (held) => {
    // Before the clusters are known, none would count as unread, and all members would leave (SQ11).
    await orAborted(Promise.all([clusters.loaded, tokens.loaded]), held.signal);
    await queries.run(held);
  };
}

function findOwnerFault(tokens: OwnerTokens, { user, groups }: QueryOwner): string | undefined {
  if (tokens.hasValidToken(user, groups)) return undefined;
  return "the owner has no valid token with the groups of this query; create one, then resume the query";
}
