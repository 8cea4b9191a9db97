// SPDX-License-Identifier: Apache-2.0
// Users who read the fleet through the hub that runs: lists, live views and changes, while grants change under way.
import { isCancellation } from "../../../src/base/abort.ts";
import type { HubFleet } from "../../../src/hub/hub-fleet.ts";
import { type FoundFleetRow, maxQueryRows, plainQuery } from "../../../src/hub/rows/fleet-queries.ts";
import { naiveVisible } from "../../../src/index/access/testing/naive-visibility.ts";
import { toLists } from "../../../src/index/access/testing/rbac-sample-rows.ts";
import { isRbacResource } from "../../../src/model/rbac-resources.ts";
import type { Row } from "../../../src/model/rows/row.ts";
import type { Subject } from "../../../src/model/subject.ts";
import { parseRbacObject } from "../../../src/rbac/rbac-parse.ts";
import type { CallAuthorizer } from "../../../src/rpc/auth/authorize-call.ts";
import type { World } from "../../support/sim/world.ts";
import type { AccessJudge } from "./access-judge.ts";
import type { SimCluster } from "./cluster.ts";

/** The users of this world. */
const readingSubjects: readonly [Subject, Subject, Subject] = [
  { user: "user-0", groups: [] },
  { user: "user-1", groups: ["team"] },
  { user: "user-2", groups: ["team"] },
];

/** Users may read clusters and rows, which each cluster's RBAC decides over, and nothing else of the hub. */
export const readersOnly: CallAuthorizer = {
  isAllowed: (_subject, asked) =>
    asked.kind === "resource" && (asked.resource === "rows" || (asked.resource === "clusters" && asked.verb === "get")),
};

export interface UserReading {
  readonly world: World;
  readonly hub: HubFleet;
  readonly judge: AccessJudge;
}

const wholeFleet = { text: "", limit: maxQueryRows, sort: [], facets: ["cluster"] };

/** Reads in all ways until the signal aborts. */
export async function readAsUsers(reading: UserReading, signal: AbortSignal): Promise<void> {
  const [, watching, following] = readingSubjects;
  const ways = [readLists(reading, signal), readView(reading, watching, signal), readFeed(reading, following, signal)];
  await Promise.all(
    ways.map((way) =>
      way.catch((reason: unknown) => {
        if (!isCancellation(signal, reason) && !signal.aborted) throw reason;
      }),
    ),
  );
}

/** One user after another lists the whole fleet. */
async function readLists({ world, hub, judge }: UserReading, signal: AbortSignal): Promise<void> {
  const random = world.random.fork(`readers ${world.clock.nowMs()}`);
  for (;;) {
    await world.clock.sleep(100 + random.int(1_500), signal);
    const subject = readingSubjects[random.int(readingSubjects.length)];
    if (subject === undefined) continue;
    const { count } = judge.states;
    const answer = await hub.fleet.reader.queries(subject).list({ ...plainQuery, ...wholeFleet }, signal);
    judge.takeList(subject, answer, count);
  }
}

async function readView({ hub, judge }: UserReading, subject: Subject, signal: AbortSignal): Promise<void> {
  const shown = new Map<string, FoundFleetRow>();
  for await (const update of hub.fleet.reader.queries(subject).watch({ ...wholeFleet, position: "" }, signal)) {
    if (update === "unchanged") continue;
    if (update.isSnapshot) shown.clear();
    for (const each of update.left) shown.delete(`${each.cluster} ${keyText(each.resource, each)}`);
    for (const each of update.rows) shown.set(`${each.cluster} ${keyText(each.resource, each.row)}`, each);
    judge.takeView(subject, [...shown.values()], update);
  }
}

async function readFeed({ hub, judge }: UserReading, subject: Subject, signal: AbortSignal): Promise<void> {
  const feed = hub.fleet.reader.changes(subject);
  let { count } = judge.states;
  for await (const flush of feed.read(feed.cursor, signal)) {
    judge.takeChanges(subject, flush, Math.max(0, count - 1));
    ({ count } = judge.states);
  }
}

/** What users see of clusters otherwise than the RBAC objects of these clusters allow now, one sentence each. */
export async function findAccessDifferences(
  hub: HubFleet,
  clusters: readonly SimCluster[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const subject of readingSubjects) {
    const { rows } = await hub.fleet.reader.queries(subject).list({ ...plainQuery, ...wholeFleet });
    for (const cluster of clusters) {
      const shown = rows
        .filter((each) => each.cluster === cluster.id)
        .map(({ resource, row }) => keyText(resource, row));
      const allowed = allowedKeys(cluster, subject);
      for (const key of new Set(shown).symmetricDifference(allowed))
        found.push(`${cluster.id}: ${key} is ${allowed.has(key) ? "hidden from" : "shown to"} ${subject.user}`);
    }
  }
  return found;
}

const keyText = (resource: string, { namespace, name }: Pick<Row, "namespace" | "name">): string =>
  `${resource} ${namespace}/${name}`;

/** The keys of the objects that the cluster's own RBAC objects show to a user. */
function allowedKeys(cluster: SimCluster, subject: Subject): ReadonlySet<string> {
  const objects = [...cluster.objects()];
  const lists = toLists(
    objects
      .filter(({ resource }) => isRbacResource(resource))
      .map(({ kind, object }) =>
        parseRbacObject({ ...JSON.parse(object.json), apiVersion: "rbac.authorization.k8s.io/v1", kind }),
      ),
  );
  const isSeen = ({ resource, object: { namespace, name } }: (typeof objects)[number]): boolean =>
    naiveVisible(lists, subject, { resource, namespace, name }, "list");
  return new Set(objects.filter(isSeen).map(({ resource, object }) => keyText(resource, object)));
}
