// SPDX-License-Identifier: Apache-2.0
// Follows the GitopsClusters of a management cluster and keeps the imports of the hub equal to them (IN25 to IN30).
// The management cluster is only read.
import { abortReason } from "../../base/abort.ts";
import { FlotillaError, hasCode } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Gauge } from "../../base/metrics.ts";
import { KeyedQueue } from "../../base/queues/keyed-queue.ts";
import type { Random } from "../../base/random.ts";
import { runTogether } from "../../base/run-together.ts";
import type { BackoffCurve, BackoffOptions } from "../../base/time/backoff.ts";
import type { Clock } from "../../base/time/clock.ts";
import { retry } from "../../base/time/retry.ts";
import { textOf } from "../../kinds/fields.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { ObjectClient, objectOf } from "../../kube/object-client.ts";
import { defaultReflectorSettings, type ReflectorSettings } from "../../kube/reflector/reflector-options.ts";
import { runReflector } from "../../kube/reflector/run-reflector.ts";
import type { ReflectorEvent } from "../../kube/reflector-event.ts";
import { type ClusterId, parseClusterId } from "../../model/cluster-id.ts";
import type { Gvr } from "../../model/gvr.ts";
import { gitopsClusters } from "./gitops-leaf.ts";
import { LeafInventory, type LeafScope } from "./leaf-inventory.ts";
import { maxSecretBytes } from "./leaf-kubeconfig.ts";
import { type LeafPorts, LeafReconciler } from "./leaf-reconciler.ts";
import { type LeafStatus, LeafStatuses } from "./leaf-statuses.ts";

/** A connection to the management cluster. */
export type ManagementSource = KubeSource & AsyncDisposable;

export interface GitopsCollectorOptions extends LeafPorts {
  /** Connects with the credential that the operator has given now: a changed one is taken up. */
  readonly connect: () => Promise<ManagementSource>;
  /** Namespaces to follow; empty: all. */
  readonly namespaces: readonly string[];
  /** `--gitops-interval`. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** From `createLeafGauge`. */
  readonly counts: Gauge<"state">;
  /** The most clusters that are imported; default 500. */
  readonly maxLeafCount?: number;
}

/** Each leaf has an agent process beside the hub. */
const defaultMaxLeafCount = 500;

/** Clusters that are probed or removed at the same time. More than the few that hang at once. */
const workerCount = 32;

/** Of one request to the management cluster. */
const requestTimeoutMs = 30_000;

/** A list every ten minutes finds what a watch has missed (L7). The objects are small. */
const reflectorSettings: ReflectorSettings = {
  ...defaultReflectorSettings,
  requestTimeoutMs,
  maxObjectBytes: 1024 * 1024,
  relistIntervalMs: 600_000,
};

/** Between two connections to the management cluster. */
const connectBackoff: BackoffOptions = { firstMs: 1_000, factor: 2, capMs: 60_000, stableMs: 60_000 };

/** Of a leaf whose reconcile failed, for instance because its Secret could not be read. */
const leafBackoff: BackoffCurve = { firstMs: 500, factor: 2, capMs: 60_000 };

const namespaces: Gvr = { group: "", version: "v1", resource: "namespaces" };

/** Keeps the hub's imports equal to the GitopsClusters of one management cluster. */
export class GitopsCollector {
  readonly #options: GitopsCollectorOptions;
  readonly #statuses: LeafStatuses;
  /** UID of the management cluster that was followed last. */
  #management = "";

  constructor(options: GitopsCollectorOptions) {
    this.#options = options;
    this.#statuses = new LeafStatuses(options);
  }

  /** The state of each GitopsCluster; empty while this hub does not follow the management cluster. */
  list(): readonly LeafStatus[] {
    return this.#statuses.list();
  }

  /**
   * Runs until the signal aborts, then throws its reason. No failure of the management cluster or of a leaf ends it, and
   * none removes a cluster (L4).
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options;
    const what = "following the GitopsClusters of the management cluster";
    try {
      await retry(
        (within, markHealthy) => this.#follow(markHealthy, within),
        { what, clock, random, log, backoff: connectBackoff },
        signal,
      );
    } finally {
      this.#statuses.clear();
    }
  }

  /** Follows with one connection. Rejects with UNAVAILABLE when another one is needed. */
  async #follow(markHealthy: () => void, signal: AbortSignal): Promise<never> {
    try {
      await using source = await this.#options.connect();
      const client = new ObjectClient({ source, requestTimeoutMs, maxBodyBytes: maxSecretBytes });
      const management = await loadUid(client, signal);
      markHealthy();
      if (this.#management !== management) this.#statuses.clear();
      this.#management = management;
      const followed = new FollowedManagement(this.#options, { source, client, management, statuses: this.#statuses });
      return await followed.run(signal);
    } catch (reason) {
      if (!(reason instanceof KubeError) && !hasCode(reason, "CONFIG_INVALID")) throw reason;
      throw new FlotillaError("UNAVAILABLE", reason.message, { cause: reason });
    }
  }
}

interface ManagementParts {
  readonly source: KubeSource;
  readonly client: ObjectClient;
  /** UID of its kube-system namespace. */
  readonly management: string;
  readonly statuses: LeafStatuses;
}

/** One management cluster over one connection. */
class FollowedManagement {
  readonly #options: GitopsCollectorOptions;
  readonly #parts: ManagementParts;
  readonly #scopes: readonly LeafScope[];
  readonly #inventory: LeafInventory;
  readonly #queue: KeyedQueue<ClusterId>;
  /** Aborts, with the reason, when another connection is needed. */
  readonly #ending = new AbortController();
  /** Scopes whose list or watch fails. */
  readonly #failing = new Set<LeafScope>();
  #owned: readonly ClusterId[] = [];

  constructor(options: GitopsCollectorOptions, parts: ManagementParts) {
    const { clock, random, log } = options;
    this.#options = options;
    this.#parts = parts;
    this.#scopes = options.namespaces.length === 0 ? [undefined] : [...new Set(options.namespaces)];
    this.#inventory = new LeafInventory(this.#scopes);
    this.#queue = new KeyedQueue({
      clock,
      random,
      workers: workerCount,
      backoff: leafBackoff,
      onFailure: ({ key, error, failureCount }) =>
        log.warn("reconcile of a GitopsCluster failed; will retry", { cluster: key, failureCount }, error),
    });
  }

  async run(signal: AbortSignal): Promise<never> {
    const {
      maxLeafCount = defaultMaxLeafCount,
      imports,
      intervalMs,
      clusters,
      removeCluster,
      clock,
      random,
      log,
    } = this.#options;
    const { client, management, statuses } = this.#parts;
    const owners = [...(await imports.listOwners())].filter(([, owner]) => owner.management === management);
    this.#owned = owners.map(([id]) => parseClusterId(id));
    const reconciler = new LeafReconciler({
      imports,
      clusters,
      removeCluster,
      inventory: this.#inventory,
      client,
      management,
      checkManagement: (within) => this.#checkManagement(within),
      admitted: new Set(this.#owned),
      maxLeafCount,
      intervalMs,
      statuses,
      clock,
      random,
      log,
    });
    const both = AbortSignal.any([signal, this.#ending.signal]);
    await runTogether(
      [
        (within) => this.#queue.run((id, each) => reconciler.reconcile(id, each), within),
        ...this.#scopes.map((scope) => (within: AbortSignal) => this.#reflect(scope, within)),
      ],
      both,
    );
    throw abortReason(both);
  }

  #reflect(scope: LeafScope, signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options;
    return runReflector(
      {
        source: this.#parts.source,
        resource: gitopsClusters,
        namespace: scope,
        settings: reflectorSettings,
        sink: (event) => this.#take(scope, event),
        clock,
        random,
        log,
      },
      signal,
    );
  }

  #take(scope: LeafScope, event: ReflectorEvent): void {
    this.#noteContact(scope, event);
    const lane = event.kind === "listed" ? "backlog" : "fresh";
    for (const id of this.#inventory.take(scope, event)) this.#queue.add(id, { lane });
    // Only now can the absence of their objects be judged.
    if (event.kind === "listed") for (const id of this.#owned) this.#queue.add(id, { lane });
  }

  /** Logs when contact is lost and when it is back. A refused credential or certificate needs another connection. */
  #noteContact(scope: LeafScope, event: ReflectorEvent): void {
    const { log } = this.#options;
    if (event.kind === "failed") {
      const { fault, message: reason } = event.error;
      if (fault === "unauthorized" || fault === "tls") this.#end(event.error);
      else if (!this.#failing.has(scope))
        log.warn("GitopsClusters cannot be followed; their clusters stay as they are", {
          namespace: scope,
          fault,
          reason,
        });
      this.#failing.add(scope);
    } else if (event.kind === "current" && this.#failing.delete(scope)) {
      log.info("GitopsClusters are followed again", { namespace: scope });
    }
  }

  /** Before a removal: an address can lead to another management cluster, which lacks all objects of the first. */
  async #checkManagement(signal: AbortSignal): Promise<void> {
    const { client, management } = this.#parts;
    const uid = await loadUid(client, signal);
    if (uid === management) return;
    const changed = new KubeError(
      "malformed",
      `the management cluster has uid ${uid}, and had uid ${management} before`,
    );
    this.#end(changed);
    throw changed;
  }

  #end(cause: KubeError): void {
    this.#ending.abort(new FlotillaError("UNAVAILABLE", cause.message, { cause }));
  }
}

/** UID of the kube-system namespace. Rejects with a KubeError. */
async function loadUid(client: ObjectClient, signal: AbortSignal): Promise<string> {
  const namespace = objectOf(await client.get({ resource: namespaces, name: "kube-system" }, signal));
  const uid = textOf(namespace, "metadata", "uid") ?? "";
  if (uid === "") throw new KubeError("malformed", "the kube-system namespace of the management cluster has no uid");
  return uid;
}
