// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { Gauge, Metrics } from "../../base/metrics.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import { type GitopsLeaf, leafText } from "./gitops-leaf.ts";

/** The states of a GitopsCluster (IN29), in the order of the reference. */
export const leafStates = ["pending", "current", "unreached", "refused", "invalid", "conflict"] as const;

/**
 * - `pending`: it was not tried yet, or its Secret cannot be read because the management cluster does not answer.
 * - `current`: the hub uses the credential of its Secret, and the cluster has answered.
 * - `unreached`: the hub uses that credential, and the cluster has not answered yet.
 * - `refused`: the cluster refuses that credential. An earlier one stays in use.
 * - `invalid`: the object, its Secret or the kubeconfig cannot be used. An earlier credential stays in use.
 * - `conflict`: its cluster id is taken, or there are too many GitopsClusters.
 */
export type LeafState = (typeof leafStates)[number];

/** The metric of the states. */
export function createLeafGauge(metrics: Metrics): Gauge<"state"> {
  return metrics.gauge({
    name: metricNames.gitopsClusters,
    help: "GitopsClusters of the management cluster by state.",
    labels: ["state"],
  });
}

/** The state of one GitopsCluster. */
export interface LeafStatus {
  /** `NAMESPACE/NAME`. */
  readonly object: string;
  readonly clusterId: string;
  readonly state: LeafState;
  /** One sentence without secrets; "" while `current` or `pending`. */
  readonly reason: string;
}

/** The state of every GitopsCluster: counted by state, and logged when it changes. */
export class LeafStatuses {
  readonly #byObject = new Map<string, LeafStatus>();
  readonly #counts: Gauge<"state">;
  readonly #log: Logger;

  constructor({ counts, log }: { readonly counts: Gauge<"state">; readonly log: Logger }) {
    this.#counts = counts;
    this.#log = log;
  }

  list(): readonly LeafStatus[] {
    return [...this.#byObject.values()];
  }

  has(leaf: GitopsLeaf): boolean {
    return this.#byObject.has(leafText(leaf));
  }

  set(leaf: GitopsLeaf, state: LeafState, reason = ""): void {
    const object = leafText(leaf);
    const before = this.#byObject.get(object);
    if (before?.state === state && before.reason === reason) return;
    this.#byObject.set(object, { object, clusterId: leaf.clusterId, state, reason });
    this.#count();
    if (state === "pending") return;
    const fields = { object, cluster: leaf.clusterId, state, reason: reason === "" ? undefined : reason };
    if (state === "current") this.#log.info("state of a GitopsCluster changed", fields);
    else this.#log.warn("state of a GitopsCluster changed", fields);
  }

  /** Keeps, of the objects with this cluster id, those that are still declared. */
  retain(clusterId: string, leaves: readonly GitopsLeaf[]): void {
    const declared = new Set(leaves.map(leafText));
    for (const { object, clusterId: id } of this.#byObject.values())
      if (id === clusterId && !declared.has(object)) this.#byObject.delete(object);
    this.#count();
  }

  /** Counts nothing any more: another hub, or nothing, follows the management cluster. */
  clear(): void {
    this.#byObject.clear();
    this.#count();
  }

  #count(): void {
    const counts = new Map<LeafState, number>(leafStates.map((state) => [state, 0]));
    for (const { state } of this.#byObject.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
    for (const [state, count] of counts) this.#counts.set({ state }, count);
  }
}
