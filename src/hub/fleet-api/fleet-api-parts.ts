// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Subject } from "../../model/subject.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import type { FleetQueries } from "../rows/fleet-queries.ts";
import type { FleetReader } from "../rows/fleet-reader.ts";
import type { TunnelBroker } from "../tunnels/tunnel-broker.ts";

/** Queries for rows, as one subject. */
export type RowQueries = Pick<FleetQueries, "list">;

/** The reads that the fleet API consists of. */
export interface FleetApiReader
  extends Pick<
    FleetReader,
    "changes" | "loadAccessVersion" | "listAccessKeys" | "listClusters" | "listKinds" | "snapshot"
  > {
  queries(subject: Subject): RowQueries;
}

/** What the fleet API is made of. */
export interface FleetApiParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly reader: FleetApiReader;
  /** Decides who may list and watch rows, and read objects of a cluster. */
  readonly authorizer: CallAuthorizer;
  /** Reads one object in its cluster, as the user. */
  readonly tunnels: Pick<TunnelBroker, "readObject">;
  /**
   * The coverage of an answer about a resource in these clusters, such as `297 of 300 clusters, 3 stale`; "" if every
   * cluster was read and is current (L10).
   */
  readonly coverageSentence: (
    subject: Subject,
    clusters: readonly string[],
    resource: string,
  ) => string | Promise<string>;
}
