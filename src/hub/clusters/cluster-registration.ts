// SPDX-License-Identifier: Apache-2.0
// Registration of clusters and their keys: join tokens, approval, rotation, revocation (SE5, SE7, SE8).
import { backoffDelayMs } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { FlotillaError } from "../../base/error.ts";
import { createId, isId } from "../../base/id.ts";
import { KeyedMutex } from "../../base/keyed-mutex.ts";
import type { Random } from "../../base/random.ts";
import { type ClusterId, parseClusterId } from "../../model/cluster-id.ts";
import { toRevision } from "../../model/revision.ts";
import type { MetadataFacts } from "../../session/hub/parsed-request.ts";
import { listPages } from "../../store/follow-table.ts";
import { put, remove, type Store, type Write } from "../../store/store.ts";
import { clusters, joinTokens } from "../../store/tables.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { type Actor, hubActor, joiningActor } from "../audit/audit-record.ts";
import { describeClusterUpdate, describeNewCluster, describeRemovedCluster } from "../audit/describe-cluster.ts";
import { describeJoinToken } from "../audit/describe-token.ts";
import {
  checkNamePattern,
  type JoinTokenRecord,
  matchesPattern,
  toJoinToken,
  toJoinTokenValue,
} from "../tokens/join-token-record.ts";
import { expiryOf, type TokenLife } from "../tokens/token-life.ts";
import { type IssuedToken, isSecret, issueToken, parseTokenText } from "../tokens/token-text.ts";
import { type ClusterRecord, type ClusterSource, isSameKeyBytes, toClusterValue } from "./cluster-record.ts";
import type { ClusterRegistry } from "./cluster-registry.ts";

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

/** The lifetime of a token that replaces a key. A person uses it at once. */
const rotationTtlMs = 3_600_000;

/** Compared with the secret if the token id is unknown, so that both cases take the same time. */
const nobodysHash = new Uint8Array(32);

/** The properties of a new join token. */
export interface WantedJoinToken extends TokenLife {
  readonly usesLeft: number;
  readonly namePattern: string;
  readonly needsApproval: boolean;
  readonly description: string;
}

/** A request to register a cluster. The metadata is already checked (`parseMetadata`). */
export interface JoinWish {
  readonly joinToken: string;
  readonly clusterId: string;
  readonly publicKey: Uint8Array;
  readonly clusterUid: string;
  readonly metadata: MetadataFacts;
}

export interface JoinDeskOptions {
  readonly store: Store;
  readonly audit: AuditLog;
  readonly registry: ClusterRegistry;
  readonly clock: Clock;
  readonly random: Random;
  /** The source of a cluster that joins with a token. Default: `agent`. */
  readonly sourceOf?: ((clusterId: string) => ClusterSource) | undefined;
}

/** A new join token. The text is shown once and never stored. */
export interface IssuedJoinToken {
  readonly record: JoinTokenRecord;
  readonly text: string;
}

function isRegistered({ keys, clusterUid }: ClusterRecord, wish: JoinWish): boolean {
  return clusterUid === wish.clusterUid && keys.some(({ publicKey }) => isSameKeyBytes(publicKey, wish.publicKey));
}

/** Adds the key as `next`, replacing an unused `next` key. The key is `active` if the cluster has no active one. */
function withKey(record: ClusterRecord, publicKey: Uint8Array): ClusterRecord {
  const active = record.keys.filter(({ state }) => state === "active");
  return { ...record, keys: [...active, { publicKey, state: active.length === 0 ? "active" : "next" }] };
}

function refusedToken(): FlotillaError {
  return new FlotillaError("UNAUTHENTICATED", "the join token is unknown or revoked; ask for a new one");
}

function checkWish({ publicKey, clusterUid }: Pick<JoinWish, "publicKey" | "clusterUid">): void {
  if (publicKey.length !== publicKeyBytes)
    throw new FlotillaError("INVALID_ARGUMENT", `a public key has ${publicKeyBytes} bytes, not ${publicKey.length}`);
  // oxlint-disable-next-line no-control-regex
  if (clusterUid === "" || clusterUid.length > maxUidLength || /[\u0000-\u0020\u007f]/.test(clusterUid))
    throw new FlotillaError("INVALID_ARGUMENT", "the cluster uid is not that of a kube-system namespace");
}

/** Registers clusters and manages their keys. */
export class ClusterRegistration {
  readonly #options: JoinDeskOptions;
  readonly #joins = new KeyedMutex();

  constructor(options: JoinDeskOptions) {
    this.#options = options;
  }

  /** Creates a join token. Its text is never stored. `issued` passes a token whose id and secret the caller chose. */
  async createToken(wanted: WantedJoinToken, by: Actor = hubActor, issued?: IssuedToken): Promise<IssuedJoinToken> {
    checkNamePattern(wanted.namePattern);
    if (!Number.isSafeInteger(wanted.usesLeft) || wanted.usesLeft < 1)
      throw new FlotillaError("INVALID_ARGUMENT", "a join token has one use or more");
    return this.#issue({ ...wanted, rotated: undefined }, by, issued);
  }

  /** Creates a token with one use, with which only this cluster can register another key (SE8). Throws NOT_FOUND. */
  async createRotationToken(clusterId: string, by: Actor = hubActor): Promise<IssuedJoinToken> {
    const rotated = parseClusterId(clusterId);
    await this.#assertRegistered(rotated);
    const description = `another key for ${rotated}`;
    const issued = await this.#issue(
      { usesLeft: 1, namePattern: rotated, needsApproval: false, description, ttlMs: rotationTtlMs, rotated },
      by,
    );
    try {
      await this.#assertRegistered(rotated); // removed meanwhile: the removal may not have seen this token (SE61)
    } catch (reason) {
      await this.revokeToken(issued.record.id);
      throw reason;
    }
    return issued;
  }

  async #assertRegistered(id: ClusterId): Promise<void> {
    if ((await this.#options.registry.load(id)) === undefined)
      throw new FlotillaError("NOT_FOUND", `there is no cluster ${id}`);
  }

  async #issue(
    { ttlMs, makerEndsAtMs, ...rest }: WantedJoinToken & Pick<JoinTokenRecord, "rotated">,
    by: Actor,
    issued: IssuedToken = issueToken(createId("tok", this.#options.random), this.#options.random),
  ): Promise<IssuedJoinToken> {
    const { audit, clock } = this.#options;
    const createdAtMs = clock.wallMs();
    const expiresAtMs = expiryOf({ ttlMs, makerEndsAtMs }, createdAtMs);
    const value = toJoinTokenValue({ ...rest, createdAtMs, expiresAtMs, secretHash: issued.secretHash });
    const record = toJoinToken(issued.id, toRevision(0), value);
    const write = put(joinTokens, [this.#options.store.workspace, issued.id], value, "absent");
    const outcome = await audit.commit([write], [describeJoinToken("created", record)], by);
    if (outcome.kind !== "committed")
      throw new FlotillaError("CONFLICT", "a token of that id was just made; try again");
    return { record: { ...record, revision: outcome.revisions[0] ?? outcome.revision }, text: issued.text };
  }

  async listTokens(): Promise<readonly JoinTokenRecord[]> {
    const { store } = this.#options;
    const records: JoinTokenRecord[] = [];
    for await (const { rows } of listPages(store, joinTokens, [store.workspace]))
      records.push(...rows.map(({ key, revision, value }) => toJoinToken(key[1] ?? "", revision, value)));
    return records;
  }

  /** Returns false if the token does not exist. Clusters that joined with it stay registered. */
  async revokeToken(id: string, by: Actor = hubActor): Promise<boolean> {
    if (!isId("tok", id)) return false;
    const { store, audit } = this.#options;
    const key = [store.workspace, id];
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const row = await store.get(joinTokens, key);
      if (row === undefined) return false;
      const entry = describeJoinToken("revoked", toJoinToken(id, row.revision, row.value));
      // The revision makes the commit fail if the token was used meanwhile; the next attempt reads it again.
      const outcome = await audit.commit([remove(joinTokens, key, row.revision)], [entry], by);
      if (outcome.kind === "committed") return true;
    }
    throw new FlotillaError("CONFLICT", "many clusters join with this token at once; try again");
  }

  /**
   * Removes a registration and its rotation tokens in one transaction (SE61). Returns false if the cluster does not
   * exist. Its live session is cut when the watch delivers the removal. Throws CONFLICT.
   */
  async removeCluster(id: string, by: Actor = hubActor): Promise<boolean> {
    const { store, audit, registry } = this.#options;
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const record = await registry.load(id);
      if (record === undefined) return false;
      const removal = remove(clusters, [store.workspace, id], record.revision);
      const writes = [removal, ...(await this.#rotationTokenRemovals(id))];
      const outcome = await audit.commit(writes, [describeRemovedCluster(record)], by);
      if (outcome.kind !== "committed") continue;
      // Removes a rotation token that was created between the two reads. The cluster is gone, so no more can be
      // created.
      const late = await this.#rotationTokenRemovals(id);
      if (late.length > 0) await store.commit(late);
      return true;
    }
    throw new FlotillaError("CONFLICT", `cluster ${id} is being changed by others; try again`, {
      ids: { cluster: id },
    });
  }

  async #rotationTokenRemovals(id: string): Promise<readonly Write[]> {
    const tokens = await this.listTokens();
    const { workspace } = this.#options.store;
    return tokens.filter(({ rotated }) => rotated === id).map((token) => remove(joinTokens, [workspace, token.id]));
  }

  /**
   * Registers a key for a cluster id and spends one use of the token, in one transaction (SE5). Repeating a join with
   * the same key and uid changes nothing. Throws UNAUTHENTICATED for the token, PERMISSION_DENIED for a name that it
   * does not cover, ALREADY_EXISTS for an id that is taken.
   */
  async join(wish: JoinWish): Promise<ClusterRecord> {
    const id = parseClusterId(wish.clusterId);
    checkWish(wish);
    // The token is checked before the queue: only callers that know its secret can enter it.
    const token = await this.#loadToken(wish.joinToken);
    return this.#joins.run(token.id, () => this.#join(id, wish));
  }

  async #join(id: ClusterId, wish: JoinWish): Promise<ClusterRecord> {
    const { clock, random } = this.#options;
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const token = await this.#loadToken(wish.joinToken);
      const known = await this.#options.registry.load(id);
      if (known !== undefined && isRegistered(known, wish)) return known;
      if (known === undefined && token.rotated === id) throw removedCluster(id);
      if ((known !== undefined || token.rotated !== undefined) && token.rotated !== id) throw taken(id);
      this.#checkToken(token, id);
      const registered = await this.#spend(token, this.#toRecord(id, known, token, wish), known);
      if (registered !== undefined) return registered;
      await clock.sleep(backoffDelayMs(conflictBackoff, attempt, random));
    }
    throw new FlotillaError("CONFLICT", "many clusters join with this token at once; try again");
  }

  /** Registers a cluster for an administrator, without a token. Throws ALREADY_EXISTS. */
  async add(wish: Omit<JoinWish, "joinToken">, source: ClusterSource, by: Actor = hubActor): Promise<ClusterRecord> {
    const id = parseClusterId(wish.clusterId);
    checkWish(wish);
    const record = this.#firstRecord(id, wish, { isApproved: true, source });
    const write = put(clusters, [this.#options.store.workspace, id], toClusterValue(record), "absent");
    const outcome = await this.#options.audit.commit([write], [describeNewCluster(record, "cluster.join")], by);
    if (outcome.kind !== "committed") throw taken(id);
    return { ...record, revision: outcome.revisions[0] ?? outcome.revision };
  }

  approve(id: string): Promise<ClusterRecord> {
    return this.#update(id, (record) => (record.isApproved ? undefined : { ...record, isApproved: true }));
  }

  /** Pausing a paused cluster keeps the original actor and time. */
  setPaused(id: string, isPaused: boolean, by = ""): Promise<ClusterRecord> {
    const pause = isPaused ? { by, atMs: this.#options.clock.wallMs() } : undefined;
    return this.#update(id, (record) => ((record.pause !== undefined) === isPaused ? undefined : { ...record, pause }));
  }

  /** Accepts the cluster with this uid as the replacement (SE7). Its grants must be proven again (L2). */
  acceptReplacement(id: string, clusterUid: string): Promise<ClusterRecord> {
    return this.#update(id, (record) =>
      record.clusterUid === clusterUid ? undefined : { ...record, clusterUid, rbacCompleteAtMs: undefined },
    );
  }

  /** Registers a second key. The first ends at the first use of the second (SE8). An unused second key is replaced. */
  rotate(id: string, publicKey: Uint8Array): Promise<ClusterRecord> {
    checkWish({ publicKey, clusterUid: id });
    return this.#update(id, (record) => {
      if (record.keys.some((key) => isSameKeyBytes(key.publicKey, publicKey))) return undefined;
      return withKey(record, publicKey);
    });
  }

  /** Ends one key, or all keys, at once. A session that the key authenticated is cut (SE8). */
  revoke(id: string, publicKey?: Uint8Array, by: Actor = hubActor): Promise<ClusterRecord> {
    return this.#update(
      id,
      (record) => {
        const left = record.keys.filter((key) => publicKey !== undefined && !isSameKeyBytes(key.publicKey, publicKey));
        return { ...record, keys: left.map((key) => ({ ...key, state: "active" })) };
      },
      by,
    );
  }

  #update(
    id: string,
    change: (record: ClusterRecord) => ClusterRecord | undefined,
    by: Actor = hubActor,
  ): Promise<ClusterRecord> {
    return this.#options.registry.update(parseClusterId(id), change, by);
  }

  async #loadToken(text: string): Promise<JoinTokenRecord> {
    const parsed = parseTokenText(text);
    if (parsed === undefined) throw refusedToken();
    const { store } = this.#options;
    const row = await store.get(joinTokens, [store.workspace, parsed.id]);
    const isRight = isSecret(parsed.secret, row?.value.secret_hash ?? nobodysHash);
    if (row === undefined || !isRight) throw refusedToken();
    return toJoinToken(parsed.id, row.revision, row.value);
  }

  #checkToken(token: JoinTokenRecord, id: string): void {
    if (token.expiresAtMs !== undefined && token.expiresAtMs <= this.#options.clock.wallMs())
      throw new FlotillaError("UNAUTHENTICATED", "the join token has expired; ask for a new one");
    if (token.usesLeft < 1)
      throw new FlotillaError("UNAUTHENTICATED", "the join token has been used; ask for a new one");
    if (!matchesPattern(token.namePattern, id))
      throw new FlotillaError(
        "PERMISSION_DENIED",
        `the join token is for clusters called ${token.namePattern}, not ${id}`,
      );
  }

  #toRecord(id: string, known: ClusterRecord | undefined, token: JoinTokenRecord, wish: JoinWish): ClusterRecord {
    if (known === undefined) {
      const source = this.#options.sourceOf?.(id) ?? "agent";
      return this.#firstRecord(id, wish, { isApproved: !token.needsApproval, source });
    }
    if (known.clusterUid !== wish.clusterUid) throw taken(id);
    return withKey(known, wish.publicKey);
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

  #firstRecord(
    id: string,
    { metadata, publicKey, clusterUid }: Omit<JoinWish, "joinToken">,
    given: { readonly isApproved: boolean; readonly source: ClusterSource },
  ): ClusterRecord {
    return {
      id,
      metadata,
      labels: new Map(),
      namespaces: { included: [], excluded: [] },
      keys: [{ publicKey, state: "active" }],
      clusterUid,
      pause: undefined,
      createdAtMs: this.#options.clock.wallMs(),
      rbacCompleteAtMs: undefined,
      revision: toRevision(0),
      ...given,
    };
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
