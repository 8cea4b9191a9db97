// SPDX-License-Identifier: Apache-2.0
// Holds what users read against the states of the hub's index: each answer must be what one of them allows (L2, L17).
import type { FleetQueryAnswer, FoundFleetRow, LiveQueryUpdate } from "../../../src/hub/rows/fleet-queries.ts";
import type { FlushChanges } from "../../../src/hub/rows/fleet-reader.ts";
import type { VisibilityUse } from "../../../src/index/access/subject-grants.ts";
import type { Subject } from "../../../src/model/subject.ts";
import type { World } from "../../support/sim/world.ts";
import { type AccessStates, rowText } from "./access-states.ts";

/** A live view may show what was so this long ago: twice the time between two of its refreshes. */
const viewBehindMs = 1_000;

export class AccessJudge {
  readonly states: AccessStates;
  readonly #world: World;
  readonly #blame: (sentence: string) => void;

  constructor(world: World, states: AccessStates, blame: (sentence: string) => void) {
    this.#world = world;
    this.states = states;
    this.#blame = blame;
  }

  /** A whole list that was begun at that number of states. */
  takeList(subject: Subject, { rows, total, facets }: FleetQueryAnswer, count: number): void {
    this.#check(subject, rows, { use: "list", from: { count }, what: "is listed" });
    const [byCluster] = facets;
    const counted = new Map(byCluster?.values.map((each) => [each.value, each.count]));
    const isCounted = [...Map.groupBy(rows, ({ cluster }) => cluster)].every(
      ([cluster, some]) => counted.get(cluster) === some.length,
    );
    if (total !== rows.length || !isCounted)
      this.#blame(`${subject.user} lists ${rows.length} rows, and the total is ${total}, or a facet differs`);
  }

  /** What a live view shows after an update. */
  takeView(subject: Subject, shown: readonly FoundFleetRow[], { total }: Pick<LiveQueryUpdate, "total">): void {
    this.#check(subject, shown, { use: "live", from: { ms: this.#viewMs }, what: "is shown live" });
    if (total !== shown.length)
      this.#blame(`${subject.user} is shown ${shown.length} rows live, and the total is ${total}`);
  }

  /** The changes of a flush, asked for at that number of states. */
  takeChanges(subject: Subject, { cluster, changes }: FlushChanges, count: number): void {
    const states = this.states.since(cluster, { count });
    for (const change of changes)
      if (!states.some((state) => state.sees(subject, change, "live")))
        this.#blame(`${subject.user} is told of ${cluster} ${change.resource} ${change.namespace}/${change.name}`);
  }

  get #viewMs(): number {
    return this.#world.clock.nowMs() - viewBehindMs;
  }

  #check(
    subject: Subject,
    rows: readonly FoundFleetRow[],
    {
      use,
      from,
      what,
    }: { readonly use: VisibilityUse; readonly from: Parameters<AccessStates["since"]>[1]; readonly what: string },
  ): void {
    const byPlace = Map.groupBy(rows, ({ cluster, resource }) => `${cluster} ${resource}`);
    for (const cluster of new Set([...this.states.clusters(), ...rows.map((found) => found.cluster)])) {
      const states = this.states.since(cluster, from);
      const resources = new Set(states.flatMap((state) => [...state.resources]));
      for (const found of rows) if (found.cluster === cluster) resources.add(found.resource);
      for (const resource of resources) {
        const text = (byPlace.get(`${cluster} ${resource}`) ?? [])
          .map(({ row }) => rowText(row))
          .sort()
          .join("\n");
        if (states.some((state) => state.visible(subject, resource, use) === text)) continue;
        this.#blame(
          `${cluster} ${resource} ${what} to ${subject.user} as no state allows: ${text.split("\n").join(", ") || "nothing"}`,
        );
      }
    }
  }
}
