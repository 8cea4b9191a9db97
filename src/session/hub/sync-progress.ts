// SPDX-License-Identifier: Apache-2.0
import { rbacResources } from "../../model/rbac-resources.ts";
import type { DigestsFacts, KindFacts } from "./parsed-request.ts";

/** So many heartbeats a poll's list may be old to count as followed (SE49): it is sent and compared within them. */
const polledHeartbeatCount = 2;

interface KindReport {
  readonly kind: KindFacts;
  readonly atMs: number;
}

/** How far a session has proven that the hub holds what its cluster has. Begins anew with every session. */
export class SyncProgress {
  readonly #polledMs: number;
  readonly #reports = new Map<string, KindReport>();
  readonly #complete = new Set<string>();
  readonly #equal = new Set<string>();
  /** RBAC kinds found equal since they were last followed without a break. */
  readonly #equalGrants = new Set<string>();
  #areGrantsProven = false;

  constructor(heartbeatMs: number) {
    this.#polledMs = polledHeartbeatCount * heartbeatMs;
  }

  /** Kinds whose list the agent has completed in this incarnation: only they may replace what the hub holds (SE26). */
  get complete(): ReadonlySet<string> {
    return this.#complete;
  }

  /** Every kind that is complete was proven equal, and no first list is under way. */
  get isCaughtUp(): boolean {
    if (this.#reports.size === 0) return false;
    for (const { kind } of this.#reports.values()) if (kind.state === "listing") return false;
    return this.#complete.isSubsetOf(this.#equal);
  }

  /** The newest comparison, and no status since, proved that the hub holds the grants that the cluster has (SE49). */
  get areGrantsProven(): boolean {
    return this.#areGrantsProven;
  }

  /** All four RBAC kinds are complete and followed, so that a comparison now can prove the grants (SE49). */
  areGrantsFollowed(nowMs: number): boolean {
    return rbacResources.every((resource) => this.#complete.has(resource) && this.#isFollowed(resource, nowMs));
  }

  /** Takes over what the agent says of its kinds. */
  report(kinds: readonly KindFacts[], nowMs: number): void {
    this.#areGrantsProven = false;
    for (const kind of kinds) {
      this.#reports.set(kind.resource, { kind, atMs: nowMs });
      if (kind.isComplete) this.#complete.add(kind.resource);
      else this.#complete.delete(kind.resource);
      if (!this.#isFollowed(kind.resource, nowMs)) this.#equalGrants.delete(kind.resource);
    }
  }

  /** Takes over what a comparison showed. A kind that differs is being mended, and has to be proven again. */
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
