// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import { createId, isId } from "../../base/id.ts";
import { matchGlob } from "../../base/match-glob.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type ClusterId, parseClusterId } from "../../model/cluster-id.ts";
import { toRevision } from "../../model/revision.ts";
import { listPages } from "../../store/follow-table.ts";
import { put, remove, type Store, type Write } from "../../store/store.ts";
import { joinTokens } from "../../store/tables.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { type Actor, hubActor } from "../audit/audit-record.ts";
import { describeJoinToken } from "../audit/describe-token.ts";
import { type ClusterRegistry, clusterNotFound } from "../clusters/cluster-registry.ts";
import { checkNamePattern, type JoinTokenRecord, toJoinToken, toJoinTokenValue } from "./join-token-record.ts";
import { expiryOf, type TokenLife } from "./token-record.ts";
import { type IssuedToken, isSecret, issueToken, parseTokenText } from "./token-text.ts";

/** More conflicts in a row indicate another fault than clusters that join. */
const maxAttemptCount = 16;

/** The lifetime of a token that replaces a key. A person uses it at once. */
const rotationTtlMs = 3_600_000;

/** The properties of a new join token. */
export interface WantedJoinToken extends TokenLife {
  readonly usesLeft: number;
  readonly namePattern: string;
  readonly needsApproval: boolean;
  readonly description: string;
}

/** A new join token. The text is shown once and never stored. */
export interface IssuedJoinToken {
  readonly record: JoinTokenRecord;
  readonly text: string;
}

export interface JoinTokensOptions {
  readonly store: Store;
  readonly audit: AuditLog;
  readonly registry: Pick<ClusterRegistry, "load">;
  readonly clock: Clock;
  readonly random: Random;
}

/** Creates, lists and revokes the tokens with which clusters register. */
export class JoinTokens {
  readonly #options: JoinTokensOptions;

  constructor(options: JoinTokensOptions) {
    this.#options = options;
  }

  /** Creates a join token. Its text is never stored. `issued` passes a token whose id and secret the caller chose. */
  async create(wanted: WantedJoinToken, by: Actor = hubActor, issued?: IssuedToken): Promise<IssuedJoinToken> {
    checkNamePattern(wanted.namePattern);
    if (!Number.isSafeInteger(wanted.usesLeft) || wanted.usesLeft < 1)
      throw new FlotillaError("INVALID_ARGUMENT", "a join token needs at least one use");
    return this.#issue({ ...wanted, rotated: undefined }, by, issued);
  }

  /** Creates a token with one use, with which only this cluster can register another key (SE8). Throws NOT_FOUND. */
  async createRotation(clusterId: string, by: Actor = hubActor): Promise<IssuedJoinToken> {
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
      await this.revoke(issued.record.id);
      throw reason;
    }
    return issued;
  }

  async #assertRegistered(id: ClusterId): Promise<void> {
    if ((await this.#options.registry.load(id)) === undefined) throw clusterNotFound(id);
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
      throw new FlotillaError("CONFLICT", "a token with that id already exists; try again");
    return { record: { ...record, revision: outcome.revisions[0] ?? outcome.revision }, text: issued.text };
  }

  async list(): Promise<readonly JoinTokenRecord[]> {
    const { store } = this.#options;
    const records: JoinTokenRecord[] = [];
    for await (const { rows } of listPages(store, joinTokens, [store.workspace]))
      records.push(...rows.map(({ key, revision, value }) => toJoinToken(key[1] ?? "", revision, value)));
    return records;
  }

  /** Returns false if the token does not exist. Clusters that joined with it stay registered. */
  async revoke(id: string, by: Actor = hubActor): Promise<boolean> {
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

  /** The writes that remove the rotation tokens of a cluster. */
  async rotationRemovals(id: string): Promise<readonly Write[]> {
    const tokens = await this.list();
    const { workspace } = this.#options.store;
    return tokens.filter(({ rotated }) => rotated === id).map((token) => remove(joinTokens, [workspace, token.id]));
  }

  /** The token with this text. Throws UNAUTHENTICATED. */
  async load(text: string): Promise<JoinTokenRecord> {
    const parsed = parseTokenText(text);
    if (parsed === undefined) throw refusedToken();
    const { store } = this.#options;
    const row = await store.get(joinTokens, [store.workspace, parsed.id]);
    const isRight = isSecret(parsed.secret, row?.value.secret_hash);
    if (row === undefined || !isRight) throw refusedToken();
    return toJoinToken(parsed.id, row.revision, row.value);
  }

  /** Throws UNAUTHENTICATED for an expired or used token, PERMISSION_DENIED for a cluster id that it does not cover. */
  assertUsable(token: JoinTokenRecord, id: ClusterId): void {
    if (token.expiresAtMs !== undefined && token.expiresAtMs <= this.#options.clock.wallMs())
      throw new FlotillaError("UNAUTHENTICATED", "the join token has expired; ask for a new one");
    if (token.usesLeft < 1)
      throw new FlotillaError("UNAUTHENTICATED", "the join token has been used; ask for a new one");
    if (!matchGlob(token.namePattern, id))
      throw new FlotillaError(
        "PERMISSION_DENIED",
        `the join token covers cluster ids that match ${token.namePattern}, not ${id}`,
      );
  }
}

function refusedToken(): FlotillaError {
  return new FlotillaError("UNAUTHENTICATED", "the join token is unknown or revoked; ask for a new one");
}
