// SPDX-License-Identifier: Apache-2.0
import { HintService, HintOutcome as WireOutcome } from "../../gen/flotilla/fleet/v1/hint_pb.ts";
import { callerOf, callOf } from "../../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { findAskedObject, objectText } from "../query/asked-object.ts";
import type { VisibleClusterParts } from "../query/visible-clusters.ts";
import type { HintOutcome, ObjectHints } from "./object-hints.ts";

export interface HintServiceParts extends VisibleClusterParts {
  readonly hints: Pick<ObjectHints, "give">;
  /** Why the agent is not connected, as a sentence; "" if unknown. */
  readonly whyAway: (cluster: string) => string;
}

const outcomeNumbers: Readonly<Record<HintOutcome, WireOutcome>> = {
  refreshed: WireOutcome.REFRESHED,
  unchanged: WireOutcome.UNCHANGED,
  notFound: WireOutcome.NOT_FOUND,
  leftToWatch: WireOutcome.LEFT_TO_WATCH,
  clusterAway: WireOutcome.CLUSTER_AWAY,
};

/** HintService: hints of other systems that have changed an object (SE69). */
export function createHintService(parts: HintServiceParts): ServiceEntry {
  const { hints, whyAway } = parts;
  return serviceEntry(HintService, {
    async hintObject(request, context) {
      const found = await findAskedObject(parts, request, context);
      const { cluster, ...object } = found;
      const { user } = callerOf(context.values).subject;
      const { log } = callOf(context.values);
      const outcome = await hints.give({ cluster, object, user, log }, context.signal);
      const what = objectText(found);
      return { outcome: outcomeNumbers[outcome], sentence: sentences[outcome](what, () => whyAway(cluster)) };
    },
  });
}

/** The sentence of each outcome. It states nothing of the object but its name. */
const sentences: Readonly<Record<HintOutcome, (what: string, why: () => string) => string>> = {
  refreshed: (what) => `The agent has read ${what} again, and sends the changed row now.`,
  unchanged: (what) => `The row of ${what} is up to date.`,
  notFound: (what) => `The cluster has no ${what}; a row of it is deleted by the agent's watch or list.`,
  leftToWatch: (what) => `The row of ${what} is left to the agent's list or watch, which is delivering it.`,
  clusterAway: (what, why) => `The agent is not connected, so ${what} was not read. ${why()}`.trimEnd(),
};
