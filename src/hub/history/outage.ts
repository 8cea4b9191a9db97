// SPDX-License-Identifier: Apache-2.0
import type { KindFacts } from "../sessions/session-events.ts";

/** How a cluster caught up; "": unknown. */
export type CaughtUpBy = "resumed" | "relisted" | "";

export interface CaughtUp {
  readonly caughtUpBy: CaughtUpBy;
  /** Kinds that were relisted; 0 if none, all or an unknown number. */
  readonly relistedKindCount: number;
}

/** For an outage without information. */
export const notKnown: CaughtUp = { caughtUpBy: "", relistedKindCount: 0 };

/**
 * One outage of a cluster and how it caught up, which agents report kind by kind, in part after the cluster is live
 * again. Only the newest outage is updated.
 */
export class Outage {
  readonly #incarnation: string;
  readonly #sinceMs: number;
  readonly #relisted = new Set<string>();
  #hadApiServerFault = false;
  #isNewProcess = false;
  #reportsLists: boolean;

  /**
   * `incarnation` is that of the lost agent, "" if there was none. `reportsLists`: whether it is known to report list
   * times (SE47).
   */
  constructor(incarnation: string, sinceMs: number, reportsLists: boolean) {
    this.#incarnation = incarnation;
    this.#sinceMs = sinceMs;
    this.#reportsLists = reportsLists;
  }

  noteApiServerFault(): void {
    this.#hadApiServerFault = true;
  }

  noteSession(incarnation: string): void {
    this.#isNewProcess = incarnation !== this.#incarnation;
  }

  /** Records the agent's kind statuses; bounded by the kinds that it follows. */
  noteKinds(kinds: readonly KindFacts[], nowMs: number): void {
    for (const { resource, listedMsAgo } of kinds) {
      if (listedMsAgo === undefined) continue;
      this.#reportsLists = true;
      if (nowMs - listedMsAgo > this.#sinceMs) this.#relisted.add(resource);
    }
  }

  /**
   * The current knowledge. A new process relists everything; the same process keeps its rows, except for kinds whose
   * watch could not resume.
   */
  get caughtUp(): CaughtUp {
    if (this.#incarnation === "") return notKnown;
    if (this.#isNewProcess) return { caughtUpBy: "relisted", relistedKindCount: 0 };
    if (this.#relisted.size > 0) return { caughtUpBy: "relisted", relistedKindCount: this.#relisted.size };
    // An agent that does not report lists can have relisted while its API server was lost.
    return this.#hadApiServerFault && !this.#reportsLists ? notKnown : { caughtUpBy: "resumed", relistedKindCount: 0 };
  }
}
