// SPDX-License-Identifier: Apache-2.0
import { rbacResources } from "../../model/rbac-resources.ts";
import type { DigestsFacts, KindFacts } from "./parsed-request.ts";

/**
 * Greatest age of a polled kind's list, in heartbeats, at which the kind counts as followed (SE49): it is sent and
 * compared within them.
 */
const polledHeartbeatCount = 2;

interface KindReport {
  readonly kind: KindFacts;
  readonly atMs: number;
}

/** How far a session has proven that the hub's rows equal the cluster's. Each session starts from zero. */
export class SyncProgress {
  readonly #polledMs: number;
  readonly #reports = new Map<string, KindReport>();
  readonly #complete = new Set<string>();
  readonly #equal = new Set<string>();
  /** RBAC kinds found equal while they have been followed without interruption. */
  readonly #equalGrants = new Set<string>();
  #areGrantsProven = false;

  constructor(heartbeatMs: number) {
    this.#polledMs = polledHeartbeatCount * heartbeatMs;
  }

  /** Kinds whose list the agent has completed in this incarnation: only these may replace the hub's rows (SE26). */
  get complete(): ReadonlySet<string> {
    return this.#complete;
  }

  /** Every complete kind was proven equal, and no first list is running. */
  get isCaughtUp(): boolean {
    if (this.#reports.size === 0) return false;
    for (const { kind } of this.#reports.values()) if (kind.state === "listing") return false;
    return this.#complete.isSubsetOf(this.#equal);
  }

  /** The newest comparison proved that the hub holds the cluster's grants, and no status came since (SE49). */
  get areGrantsProven(): boolean {
    return this.#areGrantsProven;
  }

  /** All four RBAC kinds are complete and followed, so a comparison now can prove the grants (SE49). */
  areGrantsFollowed(nowMs: number): boolean {
    return rbacResources.every((resource) => this.#complete.has(resource) && this.#isFollowed(resource, nowMs));
  }

  /** Takes the agent's statuses of its kinds. */
  report(kinds: readonly KindFacts[], nowMs: number): void {
    this.#areGrantsProven = false;
    for (const kind of kinds) {
      this.#reports.set(kind.resource, { kind, atMs: nowMs });
      if (kind.isComplete) this.#complete.add(kind.resource);
      else this.#complete.delete(kind.resource);
      if (!this.#isFollowed(kind.resource, nowMs)) this.#equalGrants.delete(kind.resource);
    }
  }

  /** Takes the result of a comparison. A differing kind is being repaired and has to be proven again. */
  compared(
    { equal, differing }: { readonly equal: readonly string[]; readonly differing: readonly string[] },
    { grantsWait }: Pick<DigestsFacts, "grantsWait">,
    nowMs: number,
  ): void {
    for (const resource of differing) {
      this.#equal.delete(resource);
      this.#equalGrants.delete(resource);
    }
    for (const resource of equal) {
      this.#equal.add(resource);
      if (this.#isFollowed(resource, nowMs)) this.#equalGrants.add(resource);
    }
    this.#areGrantsProven =
      !grantsWait && this.areGrantsFollowed(nowMs) && rbacResources.every((each) => this.#equalGrants.has(each));
  }

  #isFollowed(resource: string, nowMs: number): boolean {
    const report = this.#reports.get(resource);
    if (report?.kind.state === "watching") return true;
    if (report?.kind.state !== "polling" || report.kind.currentMsAgo === undefined) return false;
    return nowMs - report.atMs + report.kind.currentMsAgo <= this.#polledMs;
  }
}
