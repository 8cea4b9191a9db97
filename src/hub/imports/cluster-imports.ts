// SPDX-License-Identifier: Apache-2.0
// Clusters that the hub reaches itself through an uploaded kubeconfig (KU7). Their agents are started by main.

import { FlotillaError, hasCode } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { ClusterAccess } from "../../kube/credentials/cluster-access.ts";
import { parseImportedKubeconfig, resolveImportedContext } from "../../kube/credentials/imported-kubeconfig.ts";
import { KubeError } from "../../kube/kube-error.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { Revision } from "../../model/revision.ts";
import { createAgentKey, parseAgentKey } from "../../rpc/auth/ed25519.ts";
import type { MetadataFacts } from "../../session/hub/parsed-request.ts";
import { followTable, listPages } from "../../store/follow-table.ts";
import { put, remove, type Store } from "../../store/store.ts";
import { clusters, objects } from "../../store/tables.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { type Actor, hubActor } from "../audit/audit-record.ts";
import { describeNewCluster, describeReimport } from "../audit/describe-cluster.ts";
import { type ClusterRecord, createClusterRecord, isSameKeyBytes, toClusterValue } from "../clusters/cluster-record.ts";
import { type ClusterRegistry, changedByOthers } from "../clusters/cluster-registry.ts";
import {
  fromImportBody,
  type ImportOwner,
  type ImportRecord,
  importKey,
  importPrefix,
  isSameOwner,
  toImportBody,
  type Unreached,
} from "./import-record.ts";
import type { ClusterProbe, ProbedCluster } from "./probe-cluster.ts";

/** A requested import. An empty region, environment or label set leaves the present values. */
export interface ImportRequest {
  readonly id: string;
  readonly kubeconfig: string;
  /** Validated by `parseMetadata`. */
  readonly region: string;
  readonly environment: string;
  /** Validated as labels. */
  readonly labels: ReadonlyMap<string, string>;
  /**
   * The object that declares the import. Such an import replaces only an import of the same owner, and is stored with
   * the reason when the cluster refuses the first credential.
   */
  readonly owner?: ImportOwner | undefined;
}

export interface ClusterImportsOptions {
  readonly store: Store;
  readonly audit: AuditLog;
  readonly registry: ClusterRegistry;
  readonly probe: ClusterProbe;
  /** `--allow-loopback-imports`. */
  readonly allowsLoopback: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** An import whose kubeconfig was validated and whose cluster was probed. */
interface CheckedImport {
  readonly id: string;
  readonly request: ImportRequest;
  readonly access: ClusterAccess;
  readonly probed: ProbedCluster | Unreached;
  readonly by: Actor;
}

/** Called with an import's current record, or undefined when it is gone or cannot be read. Must not throw. */
export type ImportListener = (id: string, record: ImportRecord | undefined) => void;

/** A cluster has few writers; this many conflicts in a row indicate another fault. */
const maxAttemptCount = 8;

/** Imports clusters by kubeconfig, and reports which agents have to run. */
export class ClusterImports {
  readonly #options: ClusterImportsOptions;

  constructor(options: ClusterImportsOptions) {
    this.#options = options;
  }

  /**
   * Registers the cluster with source `kubeconfig`, or replaces the credential of one imported before, in one
   * transaction with the stored kubeconfig. A cluster that does not answer is imported too: its first session supplies
   * the uid, and `loadUnreached` gives the reason. Stores nothing and throws: CONFIG_INVALID for what KU7 refuses,
   * ALREADY_EXISTS for the id of a cluster with its own agent, another uid or another owner, INVALID_ARGUMENT when the
   * cluster refuses the credential.
   */
  async importCluster(request: ImportRequest, signal: AbortSignal, by: Actor = hubActor): Promise<ClusterRecord> {
    const id = parseClusterId(request.id);
    const access = await this.#check(id, request.kubeconfig);
    const known = await this.#options.registry.load(id);
    checkOwner(id, known);
    checkDeclared(id, known, await this.load(id), request.owner);
    const keepsRefusal = request.owner !== undefined && (known?.clusterUid ?? "") === "";
    const probed = await this.#probe(access, keepsRefusal, signal);
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const written = await this.#write({ id, request, access, probed, by });
      if (written !== undefined) return written;
    }
    throw changedByOthers(id);
  }

  /** Throws as `importCluster` does, without contacting the cluster. */
  async check(wanted: string, kubeconfig: string): Promise<void> {
    const id = parseClusterId(wanted);
    await this.#check(id, kubeconfig);
    checkOwner(id, await this.#options.registry.load(id));
  }

  /** Why the cluster did not answer when it was imported; undefined when it answered or was not imported. */
  async loadUnreached(id: string): Promise<Unreached | undefined> {
    return (await this.load(id))?.unreached;
  }

  /** The stored import; undefined where there is none, or none that can be read. */
  async load(id: string): Promise<ImportRecord | undefined> {
    const row = await this.#options.store.get(objects, importKey(id));
    return row === undefined ? undefined : this.#read(id, row.value.body);
  }

  /** The owner of every import that has one, by cluster id. */
  async listOwners(): Promise<Map<string, ImportOwner>> {
    const owners = new Map<string, ImportOwner>();
    for await (const { rows } of listPages(this.#options.store, objects, importPrefix)) {
      for (const { key, value } of rows) {
        const id = key.at(-1) ?? "";
        const owner = this.#read(id, value.body)?.owner;
        if (owner !== undefined) owners.set(id, owner);
      }
    }
    return owners;
  }

  /**
   * Deletes the stored kubeconfig, if any; its agent ends. The store's change log keeps it, encrypted, until retention
   * removes it.
   */
  async forget(id: string): Promise<void> {
    await this.#options.store.commit([remove(objects, importKey(id))]);
  }

  /**
   * Calls the listener with every import, then with each change, until the signal aborts. Rejects with the signal's
   * reason or a permanent failure.
   */
  async follow(listener: ImportListener, signal: AbortSignal): Promise<void> {
    const { store, clock, random, log } = this.#options;
    const revisions = new Map<string, Revision>();
    await followTable(
      { store, table: objects, prefix: importPrefix, what: "following the imported clusters", clock, random, log },
      {
        ids: () => revisions.keys(),
        set: (id, value, revision) => {
          if (revisions.get(id) === revision) return;
          if (value === null) revisions.delete(id);
          else revisions.set(id, revision);
          listener(id, value === null ? undefined : this.#read(id, value.body));
        },
      },
      signal,
    );
  }

  /** An unreadable record is logged and skipped, so that it harms no other import (L14). */
  #read(id: string, body: Uint8Array): ImportRecord | undefined {
    try {
      return fromImportBody(id, body);
    } catch (reason) {
      if (!hasCode(reason, "STORE_CORRUPT")) throw reason;
      this.#options.log.error("the stored kubeconfig of an imported cluster cannot be read", {
        cluster: id,
        reason: reason.message,
      });
      return undefined;
    }
  }

  /** Probes the cluster. Returns the reason instead when it does not answer, or refuses and the refusal is kept. */
  async #probe(access: ClusterAccess, keepsRefusal: boolean, signal: AbortSignal): Promise<ProbedCluster | Unreached> {
    try {
      return await this.#options.probe(access, signal);
    } catch (reason) {
      const isKept = keepsRefusal && hasCode(reason, "INVALID_ARGUMENT");
      if (!isKept && !hasCode(reason, "UNAVAILABLE")) throw reason;
      const { cause } = reason;
      const fault = cause instanceof KubeError ? cause.fault : "serverError";
      return { fault, detail: cause instanceof KubeError ? cause.message : reason.message };
    }
  }

  async #check(id: string, text: string): Promise<ClusterAccess> {
    const config = await parseImportedKubeconfig(`of ${id}`, text);
    const [name] = config.contexts.keys();
    if (config.contexts.size !== 1) {
      throw new FlotillaError(
        "CONFIG_INVALID",
        `the kubeconfig of ${id} must hold one context, not ${config.contexts.size}`,
      );
    }
    return resolveImportedContext(config, name, { allowsLoopback: this.#options.allowsLoopback });
  }

  /** Undefined on a conflict with another writer. */
  async #write({ id, request, access, probed, by }: CheckedImport): Promise<ClusterRecord | undefined> {
    const { store, audit, registry, log } = this.#options;
    const known = await registry.load(id);
    checkOwner(id, known);
    const unreached = "fault" in probed ? probed : undefined;
    const { uid, kubernetesVersion } = "fault" in probed ? { uid: "", kubernetesVersion: "" } : probed;
    if (unreached === undefined) checkUid(id, known, uid);
    const row = await store.get(objects, importKey(id));
    const earlier = row === undefined ? undefined : this.#read(id, row.value.body);
    checkDeclared(id, known, earlier, request.owner);
    const key = findKey(known, earlier) ?? createAgentKey();
    const region = request.region || (earlier?.region ?? "");
    const environment = request.environment || (earlier?.environment ?? "");
    const metadata = { region, environment, version: "", kubernetesVersion };
    const record = this.#toRecord(id, known, { request, metadata, uid, publicKey: key.publicKey });
    const stored = {
      kubeconfig: request.kubeconfig,
      context: access.name,
      privateKeyPem: key.toPem(),
      region,
      environment,
      unreached,
      owner: request.owner,
    };
    const entries =
      known === undefined ? [describeNewCluster(record, "cluster.import")] : [describeReimport(known, record)];
    const outcome = await audit.commit(
      [
        put(clusters, [store.workspace, id], toClusterValue(record), known?.revision ?? "absent"),
        put(objects, importKey(id), { body: toImportBody(stored) }, row?.revision ?? "absent"),
      ],
      entries,
      by,
    );
    if (outcome.kind !== "committed") return undefined;
    log.info("cluster imported", { cluster: id, replaced: known !== undefined, answered: unreached === undefined });
    return { ...record, revision: outcome.revisions[0] ?? outcome.revision };
  }

  #toRecord(
    id: string,
    known: ClusterRecord | undefined,
    given: {
      readonly request: ImportRequest;
      readonly metadata: Omit<MetadataFacts, "labels">;
      readonly uid: string;
      readonly publicKey: Uint8Array;
    },
  ): ClusterRecord {
    const { request, metadata, uid, publicKey } = given;
    if (known !== undefined) {
      return {
        ...known,
        clusterUid: known.clusterUid === "" ? uid : known.clusterUid,
        metadata: { ...known.metadata, region: metadata.region, environment: metadata.environment },
        labels: new Map([...known.labels, ...request.labels]),
        keys: [{ publicKey, state: "active" }],
      };
    }
    return createClusterRecord({
      id,
      metadata: { ...metadata, labels: new Map() },
      labels: request.labels,
      publicKey,
      clusterUid: uid,
      isApproved: true,
      source: "kubeconfig",
      createdAtMs: this.#options.clock.wallMs(),
    });
  }
}

function checkOwner(id: string, known: ClusterRecord | undefined): void {
  if (known === undefined || known.source === "kubeconfig") return;
  throw new FlotillaError(
    "ALREADY_EXISTS",
    `cluster id ${id} is taken by a cluster with an agent of its own; choose another with --as, or remove that one first`,
    { ids: { cluster: id } },
  );
}

/** A declared import takes over no cluster of a user or of another object. `earlier` is the stored import. */
function checkDeclared(
  id: string,
  known: ClusterRecord | undefined,
  earlier: ImportRecord | undefined,
  owner: ImportOwner | undefined,
): void {
  if (owner === undefined || known === undefined || isSameOwner(earlier?.owner, owner)) return;
  const holder = earlier?.owner === undefined ? "a user imported" : "another object declares";
  throw new FlotillaError(
    "ALREADY_EXISTS",
    `cluster id ${id} is taken by a cluster that ${holder}; rename the object, or remove that cluster first`,
    { ids: { cluster: id } },
  );
}

function checkUid(id: string, known: ClusterRecord | undefined, uid: string): void {
  if (known === undefined || known.clusterUid === "" || known.clusterUid === uid) return;
  throw new FlotillaError(
    "ALREADY_EXISTS",
    `${id} is the cluster with uid ${known.clusterUid}, but this kubeconfig leads to one with uid ${uid}; choose another id with --as, or run \`flotilla cluster accept ${id} ${uid}\` first`,
    { ids: { cluster: id } },
  );
}

/** The previous agent's key if it is still registered, so that the next agent can resume its session. */
function findKey(
  known: ClusterRecord | undefined,
  earlier: ImportRecord | undefined,
): ReturnType<typeof createAgentKey> | undefined {
  if (known === undefined || earlier === undefined) return undefined;
  const key = parseAgentKey(earlier.privateKeyPem);
  return known.keys.some(({ publicKey }) => isSameKeyBytes(publicKey, key.publicKey)) ? key : undefined;
}
