// SPDX-License-Identifier: Apache-2.0
// The kinds without a file of their own. Which of them exist is known from discovery alone.
import type { Logger } from "../../base/log.ts";
import type { OtherKinds } from "../../kinds/choose-kinds.ts";
import { createGenericKind } from "../../kinds/generic-kind.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Served, ServedResource } from "../../kube/discovery/served-resource.ts";
import { compareVersions } from "../../model/compare-versions.ts";
import { isCanonicalResourceId, type ResourceId, resourceIdText } from "../../model/gvr.ts";

/**
 * Most such kinds that an agent follows (KI26). Each takes one watch, and the connections to an API server hold 1,600.
 * A cluster with all of Crossplane's providers for one cloud has some 1,000 kinds.
 */
const maxOtherKinds = 1_000;

/** The kinds without a file of their own that a cluster serves, or has served while the agent ran. */
export class OtherKindList {
  readonly #wanted: OtherKinds;
  readonly #log: Logger;
  readonly #kinds = new Map<string, Kind>();
  #leftOutCount = 0;

  constructor(wanted: OtherKinds, log: Logger) {
    this.#wanted = wanted;
    this.#log = log;
    for (const resource of wanted.named) this.#add(resource);
  }

  /**
   * A kind that the cluster has never served has no versions. A removed kind stays, so that it can be reported as
   * removed.
   */
  get kinds(): Iterable<Kind> {
    return this.#kinds.values();
  }

  /** Updates the kinds from discovery: adds new ones, refreshes known ones. */
  noteServed({ resources }: Served): void {
    let leftOutCount = 0;
    const followable = resources.filter((each) => this.#canFollow(each));
    for (const versions of Map.groupBy(followable, resourceIdText).values()) {
      const [best] = versions.sort((a, b) => compareVersions(a.version, b.version));
      if (best === undefined || !this.#wanted.wants(best)) continue;
      const known = this.#kinds.get(resourceIdText(best));
      if (known === undefined && this.#kinds.size >= maxOtherKinds) leftOutCount += 1;
      else this.#set(best, versions);
    }
    this.#noteLeftOut(leftOutCount);
  }

  /**
   * Adds kinds whose rows the hub holds and which this session did not name. A selected one that the cluster no longer
   * serves was removed while no agent ran: its rows are deleted only once it is reported as not installed (SE28).
   * Returns whether any was added.
   */
  noteHeld(resources: readonly ResourceId[]): boolean {
    const change = resources.filter((each) => this.#wanted.wants(each) && !this.#kinds.has(resourceIdText(each)));
    const taken = change.slice(0, Math.max(0, maxOtherKinds - this.#kinds.size));
    for (const resource of taken) this.#add(resource);
    return taken.length > 0;
  }

  /**
   * Patterns select resources that can be watched. An exactly named resource may also be polled. `events.k8s.io/events`
   * are the same objects as `events`.
   */
  #canFollow(served: ServedResource): boolean {
    const { verbs, group, resource } = served;
    if (!isCanonicalResourceId(served) || !verbs.includes("list")) return false;
    return (
      verbs.includes("watch") ||
      this.#wanted.named.some((named) => named.group === group && named.resource === resource)
    );
  }

  #set({ group, resource, kind, isNamespaced }: ServedResource, served: readonly ServedResource[]): void {
    const id = { group, resource };
    const versions = served.map(({ version }) => version);
    this.#kinds.set(resourceIdText(id), createGenericKind(id, { kind, versions, isNamespaced }));
  }

  /** A kind of which only the name is known. */
  #add(resource: ResourceId): void {
    const facts = { kind: resource.resource, versions: [], isNamespaced: true };
    this.#kinds.set(resourceIdText(resource), createGenericKind(resource, facts));
  }

  #noteLeftOut(count: number): void {
    if (count === this.#leftOutCount) return;
    this.#leftOutCount = count;
    if (count > 0)
      this.#log.warn("the cluster serves more kinds than an agent follows; name fewer with --kinds", {
        followedCount: this.#kinds.size,
        leftOutCount: count,
      });
  }
}
