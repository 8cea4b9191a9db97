// SPDX-License-Identifier: Apache-2.0
// The kinds without a file of their own: which there are is known from discovery alone.
import type { Logger } from "../../base/log.ts";
import type { OtherKinds } from "../../kinds/choose-kinds.ts";
import { createGenericKind } from "../../kinds/generic-kind.ts";
import type { Kind } from "../../kinds/kind.ts";
import { compareVersions } from "../../kube/discovery/compare-versions.ts";
import type { Served, ServedResource } from "../../kube/discovery/served-resource.ts";
import { isCanonicalResourceId, type ResourceId, resourceIdText } from "../../model/gvr.ts";

/**
 * So many of them an agent follows (KI26). Each takes a watch of its own, and the connections to an API server hold 1,600; a cluster with
 * all of Crossplane's providers for one cloud has some 1,000 kinds.
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

  /** What is known of each. A kind that the cluster has never served has no versions. One that is gone stays, so that its end can be told. */
  get kinds(): Iterable<Kind> {
    return this.#kinds.values();
  }

  /** Takes what the server serves: kinds that came, and what changed of those that are known. */
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
   * Takes the kinds of which the hub holds rows and which it was not told of. One that is wanted and that the cluster no longer serves was
   * removed while no agent ran: its rows can only go when it is told as not installed (SE28). True where there was such a kind.
   */
  noteHeld(resources: readonly ResourceId[]): boolean {
    const news = resources.filter((each) => this.#wanted.wants(each) && !this.#kinds.has(resourceIdText(each)));
    const taken = news.slice(0, Math.max(0, maxOtherKinds - this.#kinds.size));
    for (const resource of taken) this.#add(resource);
    return taken.length > 0;
  }

  /** Patterns take what can be watched. What is named may be polled. `events.k8s.io/events` are the objects of `events`. */
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

  /** Known by name alone. */
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
