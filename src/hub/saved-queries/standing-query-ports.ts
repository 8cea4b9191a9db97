// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Subject } from "../../model/subject.ts";
import type { SendWebhook } from "../health/webhook.ts";
import type { ViewerQueries } from "./read-members.ts";
import type { StandingCounters } from "./standing-counters.ts";
import type { QueryOwner } from "./standing-query-record.ts";

/** The ports that all standing queries share. */
export interface StandingQueryPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly queriesOf: (subject: Subject) => ViewerQueries;
  /**
   * Why the owner may no longer have standing queries, as a sentence; undefined if the owner still has a valid
   * credential with all these groups. Throws a FlotillaError if that is not known now.
   */
  readonly findOwnerFault: (owner: QueryOwner) => string | undefined;
  /**
   * Clusters that are registered and whose rows cannot be read now: still loading after a start of the hub, or withheld
   * (L2, Q-43).
   */
  readonly unreadClusters: () => ReadonlySet<string>;
  readonly send: SendWebhook;
  readonly counters: StandingCounters;
  /** Runs an evaluation when its turn comes: few run at once. */
  readonly schedule: <Result>(evaluate: () => Promise<Result>) => Promise<Result>;
}
