// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import type { Random } from "../../base/random.ts";
import { backoffDelayMs } from "../../base/time/backoff.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type ClusterId, parseClusterId } from "../../model/cluster-id.ts";
import type { MetadataFacts } from "../../session/hub/parsed-request.ts";
import { put, remove, type Store } from "../../store/store.ts";
import { accessDrift, clusters, joinTokens } from "../../store/tables.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { type Actor, hubActor, joiningActor } from "../audit/audit-record.ts";
import { describeClusterUpdate, describeNewCluster, describeRemovedCluster } from "../audit/describe-cluster.ts";
import { type JoinTokenRecord, toJoinTokenValue } from "../tokens/join-token-record.ts";
import { JoinTokens } from "../tokens/join-tokens.ts";
import { withKey } from "./cluster-changes.ts";
import {
  type ClusterRecord,
  type ClusterSource,
  createClusterRecord,
  isSameKeyBytes,
  toClusterValue,
} from "./cluster-record.ts";
import { type ClusterRegistry, changedByOthers } from "./cluster-registry.ts";

/** Bytes of a raw Ed25519 public key. */
const publicKeyBytes = 32;

/** The limit on the length of a uid. Kubernetes uids have 36 characters. */
const maxUidLength = 128;

/**
 * Joins at one hub are serialized per token, so conflicts come only from other hubs and administrators. More conflicts
 * in a row indicate another fault.
 */
const maxAttemptCount = 16;

/** The delay between two attempts: longer than a commit takes, with jitter. */
const conflictBackoff = { firstMs: 20, factor: 2, capMs: 500 };

/** A request to register a cluster. The metadata is already checked (`parseMetadata`). */
export interface RegistrationRequest {
  readonly joinToken: string;
  readonly clusterId: string;
  readonly publicKey: Uint8Array;
  readonly clusterUid: string;
  readonly metadata: MetadataFacts;
}

export interface ClusterRegistrationOptions {
  readonly store: Store;
  readonly audit: AuditLog;
  readonly registry: ClusterRegistry;
  readonly clock: Clock;
  readonly random: Random;
  /** The source of a cluster that joins with a token. Default: `agent`. */
  readonly sourceOf?: ((clusterId: string) => ClusterSource) | undefined;
}

function isRegistered({ keys, clusterUid }: ClusterRecord, request: RegistrationRequest): boolean {
  return (
    clusterUid === request.clusterUid && keys.some(({ publicKey }) => isSameKeyBytes(publicKey, request.publicKey))
  );
}

function checkKeyAndUid({ publicKey, clusterUid }: Pick<RegistrationRequest, "publicKey" | "clusterUid">): void {
  if (publicKey.length !== publicKeyBytes)
    throw new FlotillaError("INVALID_ARGUMENT", `a public key has ${publicKeyBytes} bytes, not ${publicKey.length}`);
  // oxlint-disable-next-line no-control-regex
  if (clusterUid === "" || clusterUid.length > maxUidLength || /[\u0000-\u0020\u007f]/.test(clusterUid))
    throw new FlotillaError("INVALID_ARGUMENT", "the cluster uid is not that of a kube-system namespace");
}

/** Registers and removes clusters. */
export class ClusterRegistration {
  readonly joinTokens: JoinTokens;
  readonly #options: ClusterRegistrationOptions;
  readonly #joins = new KeyedMutex();

  constructor(options: ClusterRegistrationOptions) {
    this.#options = options;
    this.joinTokens = new JoinTokens(options);
  }

  /**
   * Removes a registration, its rotation tokens and its stored drift in one transaction (SE61, RB83). Returns false if the cluster does not
   * exist. Its live session is cut when the watch delivers the removal. Throws CONFLICT.
   */
  async removeCluster(id: string, by: Actor = hubActor): Promise<boolean> {
    const { store, audit, registry } = this.#options;
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const record = await registry.load(id);
      if (record === undefined) return false;
      const removal = remove(clusters, [store.workspace, id], record.revision);
      const drift = remove(accessDrift, [store.workspace, id]);
      const writes = [removal, drift, ...(await this.joinTokens.rotationRemovals(id))];
      const outcome = await audit.commit(writes, [describeRemovedCluster(record)], by);
      if (outcome.kind !== "committed") continue;
      // Removes a rotation token that was created between the two reads. The cluster is gone, so no more can be
      // created.
      const late = await this.joinTokens.rotationRemovals(id);
      if (late.length > 0) await store.commit(late);
      return true;
    }
    throw changedByOthers(id);
  }

  /**
   * Registers a key for a cluster id and spends one use of the token, in one transaction (SE5). Repeating a join with
   * the same key and uid changes nothing. Throws UNAUTHENTICATED for the token, PERMISSION_DENIED for a name that it
   * does not cover, ALREADY_EXISTS for an id that is taken.
   */
  async join(request: RegistrationRequest): Promise<ClusterRecord> {
    const id = parseClusterId(request.clusterId);
    checkKeyAndUid(request);
    // The token is checked before the queue: only callers that know its secret can enter it.
    const token = await this.joinTokens.load(request.joinToken);
    return this.#joins.run(token.id, () => this.#join(id, request));
  }

  async #join(id: ClusterId, request: RegistrationRequest): Promise<ClusterRecord> {
    const { clock, random } = this.#options;
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const token = await this.joinTokens.load(request.joinToken);
      const known = await this.#options.registry.load(id);
      if (known !== undefined && isRegistered(known, request)) return known;
      if (known === undefined && token.rotated === id) throw removedCluster(id);
      if ((known !== undefined || token.rotated !== undefined) && token.rotated !== id) throw taken(id);
      this.joinTokens.assertUsable(token, id);
      const registered = await this.#spend(token, this.#toRecord(id, known, token, request), known);
      if (registered !== undefined) return registered;
      await clock.sleep(backoffDelayMs(conflictBackoff, attempt, random));
    }
    throw new FlotillaError("CONFLICT", "many clusters join with this token at once; try again");
  }

  /** Registers a cluster for an administrator, without a token. Throws ALREADY_EXISTS. */
  async add(
    request: Omit<RegistrationRequest, "joinToken">,
    source: ClusterSource,
    by: Actor = hubActor,
  ): Promise<ClusterRecord> {
    const { store, audit, clock } = this.#options;
    const id = parseClusterId(request.clusterId);
    checkKeyAndUid(request);
    const record = createClusterRecord({ ...request, id, isApproved: true, source, createdAtMs: clock.wallMs() });
    const write = put(clusters, [store.workspace, id], toClusterValue(record), "absent");
    const outcome = await audit.commit([write], [describeNewCluster(record, "cluster.join")], by);
    if (outcome.kind !== "committed") throw taken(id);
    return { ...record, revision: outcome.revisions[0] ?? outcome.revision };
  }

  #toRecord(
    id: string,
    known: ClusterRecord | undefined,
    token: JoinTokenRecord,
    request: RegistrationRequest,
  ): ClusterRecord {
    if (known === undefined) {
      const source = this.#options.sourceOf?.(id) ?? "agent";
      const createdAtMs = this.#options.clock.wallMs();
      return createClusterRecord({ ...request, id, isApproved: !token.needsApproval, source, createdAtMs });
    }
    if (known.clusterUid !== request.clusterUid) throw taken(id);
    return withKey(known, request.publicKey);
  }

  /**
   * Writes the record and spends one use in one transaction. Returns undefined if another writer changed either of
   * them.
   */
  async #spend(
    token: JoinTokenRecord,
    record: ClusterRecord,
    known: ClusterRecord | undefined,
  ): Promise<ClusterRecord | undefined> {
    const spent = toJoinTokenValue({ ...token, usesLeft: token.usesLeft - 1 });
    const entries =
      known === undefined ? [describeNewCluster(record, "cluster.join")] : describeClusterUpdate(known, record);
    const { audit, store } = this.#options;
    const outcome = await audit.commit(
      [
        put(clusters, [store.workspace, record.id], toClusterValue(record), known?.revision ?? "absent"),
        put(joinTokens, [store.workspace, token.id], spent, token.revision),
      ],
      entries,
      joiningActor(token.id),
    );
    if (outcome.kind !== "committed") return undefined;
    return { ...record, revision: outcome.revisions[0] ?? outcome.revision };
  }
}

function removedCluster(id: string): FlotillaError {
  return new FlotillaError(
    "UNAUTHENTICATED",
    `the token replaces the key of cluster ${id}, which is not registered any more; ask for a join token`,
    { ids: { cluster: id } },
  );
}

function taken(id: string): FlotillaError {
  return new FlotillaError(
    "ALREADY_EXISTS",
    `cluster id ${id} is taken; choose another, or have an administrator remove or rotate it`,
    { ids: { cluster: id } },
  );
}
