// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { FlotillaError, hasCode } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Outcome } from "../../base/queues/keyed-queue.ts";
import type { Random } from "../../base/random.ts";
import { type BackoffCurve, backoffCeilingMs } from "../../base/time/backoff.ts";
import type { Clock } from "../../base/time/clock.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { ObjectClient } from "../../kube/object-client.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import type { Actor } from "../audit/audit-record.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { ClusterImports } from "../imports/cluster-imports.ts";
import { type ImportOwner, type ImportRecord, isSameOwner } from "../imports/import-record.ts";
import { type GitopsLeaf, leafText } from "./gitops-leaf.ts";
import { withLeafFault } from "./leaf-fault-label.ts";
import type { LeafInventory } from "./leaf-inventory.ts";
import { loadLeafKubeconfig } from "./leaf-kubeconfig.ts";
import type { LeafState, LeafStatuses } from "./leaf-statuses.ts";
import { needsImport, ownerOf, planLeaf } from "./plan-leaf.ts";

/** The actor of everything that the collector changes (IN28). */
export const gitopsActor: Actor = { user: "system:gitops", tokenId: "", address: "", requestId: "" };

/** The parts of the hub that the collector writes to. */
export interface LeafPorts {
  readonly imports: ClusterImports;
  readonly clusters: ClusterRegistry;
  /** Removes the registration and the rows of a cluster. */
  readonly removeCluster: (id: string, by: Actor) => Promise<boolean>;
}

export interface LeafReconcilerOptions extends LeafPorts {
  readonly inventory: LeafInventory;
  /** Reads the management cluster. */
  readonly client: ObjectClient;
  /** UID of the management cluster. */
  readonly management: string;
  /** Rejects unless the management cluster still has that uid. */
  readonly checkManagement: (signal: AbortSignal) => Promise<void>;
  /** Cluster ids that may be managed: those that are, at first. */
  readonly admitted: Set<string>;
  readonly maxLeafCount: number;
  /** Time between two reads of a Secret. */
  readonly intervalMs: number;
  readonly statuses: LeafStatuses;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The last credential of a cluster that was not taken. */
interface FailedCredential {
  /** SHA-256 of the kubeconfig. */
  readonly digest: string;
  readonly failureCount: number;
  readonly retryAtMs: number;
}

/** The delay before the same refused credential is tried again. A changed Secret is tried at once. */
const credentialBackoff: BackoffCurve = { firstMs: 30_000, factor: 2, capMs: 600_000 };

/** Faults of a cluster that has answered. All others mean that it was not reached. */
const answeredFaults: ReadonlySet<string> = new Set([
  "unauthorized",
  "forbidden",
  "notFound",
  "tls",
  "malformed",
  "refused",
]);

/** Moves one cluster id to the state that its GitopsCluster declares. Concurrent calls are for different ids. */
export class LeafReconciler {
  readonly #options: LeafReconcilerOptions;
  readonly #failed = new Map<string, FailedCredential>();

  constructor(options: LeafReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(id: ClusterId, signal: AbortSignal): Promise<Outcome> {
    const { inventory, imports, management, statuses } = this.#options;
    const leaves = inventory.leavesOf(id);
    const known = await imports.load(id);
    const isListed = (namespace: string): boolean => inventory.isListed(namespace);
    const { action, refused } = planLeaf({ leaves, known, management, isListed });
    statuses.retain(id, leaves);
    for (const { leaf, reason } of refused) statuses.set(leaf, "conflict", reason);
    switch (action.kind) {
      case "none":
        this.#options.admitted.delete(id);
        return refused.length === 0 ? {} : this.#again();
      case "wait":
        return {};
      case "remove":
        await this.#remove(id, action.owner, signal);
        return {};
      case "sync":
        if (action.replaces !== undefined) await this.#remove(id, action.replaces, signal);
        await this.#sync(id, action.leaf, action.replaces === undefined ? known : undefined, signal);
        return this.#again();
    }
  }

  /** The next read of the Secret: after the interval, give or take a tenth. */
  #again(): Outcome {
    const { intervalMs, random } = this.#options;
    return { retryAfterMs: intervalMs * (0.9 + 0.2 * random.next()) };
  }

  /**
   * Removes a cluster whose object is proven gone. The import goes last: after a crash before that, it still names its
   * owner, and the removal is repeated.
   */
  async #remove(id: string, owner: ImportOwner, signal: AbortSignal): Promise<void> {
    const { imports, removeCluster, checkManagement, admitted, log } = this.#options;
    await checkManagement(signal);
    if (!isSameOwner((await imports.load(id))?.owner, owner)) return; // a user has imported the cluster meanwhile
    await removeCluster(id, gitopsActor);
    await imports.forget(id);
    admitted.delete(id);
    this.#failed.delete(id);
    log.info("cluster of a deleted GitopsCluster removed", { cluster: id, object: leafText(owner) });
  }

  async #sync(id: string, leaf: GitopsLeaf, known: ImportRecord | undefined, signal: AbortSignal): Promise<void> {
    const { client, clusters, statuses, admitted, maxLeafCount, management } = this.#options;
    if (!admitted.has(id) && admitted.size >= maxLeafCount) {
      statuses.set(leaf, "conflict", `a hub follows at most ${maxLeafCount} GitopsClusters; delete some`);
      return;
    }
    admitted.add(id);
    if (!statuses.has(leaf)) statuses.set(leaf, "pending");
    const credential = await loadLeafKubeconfig(client, leaf, signal);
    if (credential.kind === "unusable") return await this.#fail(leaf, "invalid", credential.reason);
    const { text: kubeconfig } = credential;
    const owner = ownerOf(leaf, management);
    const registered = await clusters.load(id);
    if (needsImport(known, { owner, kubeconfig, isRegistered: registered !== undefined })) {
      await this.#import(leaf, kubeconfig, signal);
      return;
    }
    await this.#succeed(leaf, registered?.clusterUid === "" ? known?.unreached : undefined);
  }

  async #import(leaf: GitopsLeaf, kubeconfig: string, signal: AbortSignal): Promise<void> {
    const { imports, management, clock } = this.#options;
    const { clusterId: id } = leaf;
    const digest = createHash("sha256").update(kubeconfig).digest("hex");
    const failed = this.#failed.get(id);
    if (failed?.digest === digest && clock.nowMs() < failed.retryAtMs) return;
    const request = { id, kubeconfig, region: "", environment: "", labels: new Map<string, string>() };
    try {
      await imports.importCluster({ ...request, owner: ownerOf(leaf, management) }, signal, gitopsActor);
    } catch (reason) {
      const state = stateOf(reason);
      if (state === undefined || !(reason instanceof FlotillaError)) throw reason;
      const failureCount = failed?.digest === digest ? failed.failureCount + 1 : 1;
      const retryAtMs = clock.nowMs() + backoffCeilingMs(credentialBackoff, failureCount - 1);
      this.#failed.set(id, { digest, failureCount, retryAtMs });
      await this.#fail(leaf, state, reason.message);
      return;
    }
    this.#failed.delete(id);
    await this.#succeed(leaf, (await imports.load(id))?.unreached);
  }

  /** The credential of the Secret is in use. `unreached`: why the cluster has not answered with it yet. */
  async #succeed(leaf: GitopsLeaf, unreached: ImportRecord["unreached"]): Promise<void> {
    const { statuses } = this.#options;
    if (unreached === undefined) statuses.set(leaf, "current");
    else statuses.set(leaf, answeredFaults.has(unreached.fault) ? "refused" : "unreached", unreached.detail);
    await this.#label(leaf.clusterId, undefined);
  }

  /** The credential of the Secret is not in use. A cluster that has an earlier one keeps it, and shows the state. */
  async #fail(leaf: GitopsLeaf, state: LeafState, reason: string): Promise<void> {
    this.#options.statuses.set(leaf, state, reason);
    const known = await this.#options.imports.load(leaf.clusterId);
    if (isSameOwner(known?.owner, ownerOf(leaf, this.#options.management))) await this.#label(leaf.clusterId, state);
  }

  async #label(id: string, fault: LeafState | undefined): Promise<void> {
    const { clusters } = this.#options;
    const record = await clusters.load(id);
    if (record === undefined || withLeafFault(record, fault) === record) return;
    await clusters.update(id, (each) => withLeafFault(each, fault), gitopsActor);
  }
}

/** The state of a GitopsCluster whose import was refused; undefined for a failure that is retried. */
function stateOf(reason: unknown): LeafState | undefined {
  if (reason instanceof KubeError) return undefined;
  if (hasCode(reason, "CONFIG_INVALID") || hasCode(reason, "TOO_LARGE")) return "invalid";
  if (hasCode(reason, "ALREADY_EXISTS")) return "conflict";
  return hasCode(reason, "INVALID_ARGUMENT") ? "refused" : undefined;
}
