// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { ClusterHealth } from "../health/cluster-health.ts";
import type { CredentialTerms } from "./credential-terms.ts";
import type { KindDetails } from "./kind-details.ts";

/** The parts that the services of the fleet read and change. */
export interface FleetParts {
  /** Without the fold target and the feed: rows and changes are read through `fleet.reader`. */
  readonly fleet: Omit<Fleet, "fleetRows" | "feed">;
  readonly health: ClusterHealth;
  readonly details: KindDetails;
  readonly credentials: CredentialTerms;
  readonly clock: Clock;
}
