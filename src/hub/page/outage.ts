// SPDX-License-Identifier: Apache-2.0
import type { KindFacts } from "../fleet/fleet-observer.ts";

/** How a cluster came back: "" = nobody can tell. */
export type CaughtUpBy = "resumed" | "relisted" | "";

export interface CaughtUp {
  readonly caughtUpBy: CaughtUpBy;
  /** Kinds that were listed anew; 0 where none was, where all were, and where nobody can tell. */
  readonly relistedKindCount: number;
}

/** Of a loss that nobody can tell more of. */
export const notKnown: CaughtUp = { caughtUpBy: "", relistedKindCount: 0 };

/**
 * One loss of a cluster, and what is learned of how it came back: that is told kind by kind, in part after it counts as back. Told of the newest loss alone, so
 * what an older one came to stays.
 */
export class Outage {
  readonly #incarnation: string;
  readonly #sinceMs: number;
  readonly #relisted = new Set<string>();
  #hadApiServerFault = false;
  #isOther = false;
  #tellsLists: boolean;

  /** `incarnation` is of the agent that was lost, "" where there was none; `tellsLists`: whether it is known to say when kinds are listed (SE47). */
  constructor(incarnation: string, sinceMs: number, tellsLists: boolean) {
    this.#incarnation = incarnation;
    this.#sinceMs = sinceMs;
    this.#tellsLists = tellsLists;
  }

  noteApiServerFault(): void {
    this.#hadApiServerFault = true;
  }

  noteSession(incarnation: string): void {
    this.#isOther = incarnation !== this.#incarnation;
  }

  /** What an agent tells of its kinds; as many are kept as it follows. */
  noteKinds(kinds: readonly KindFacts[], nowMs: number): void {
    for (const { resource, listedMsAgo } of kinds) {
      if (listedMsAgo === undefined) continue;
      this.#tellsLists = true;
      if (nowMs - listedMsAgo > this.#sinceMs) this.#relisted.add(resource);
    }
  }

  /** As it is known by now. Another process lists everything; the same one goes on with its rows, except for kinds whose watch could not go on. */
  get caughtUp(): CaughtUp {
    if (this.#incarnation === "") return notKnown;
    if (this.#isOther) return { caughtUpBy: "relisted", relistedKindCount: 0 };
    if (this.#relisted.size > 0) return { caughtUpBy: "relisted", relistedKindCount: this.#relisted.size };
    // An agent that says nothing of lists may have made some while its API server was lost.
    return this.#hadApiServerFault && !this.#tellsLists ? notKnown : { caughtUpBy: "resumed", relistedKindCount: 0 };
  }
}
