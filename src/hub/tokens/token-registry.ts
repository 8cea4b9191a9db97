// SPDX-License-Identifier: Apache-2.0
import { throwIfAborted } from "../../base/abort.ts";
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { runTogether } from "../../base/run-together.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type Revision, toRevision } from "../../model/revision.ts";
import { createSubject } from "../../model/subject.ts";
import type { TokenRefusal, TokenVerifier, VerifiedToken } from "../../rpc/auth/authenticate.ts";
import { followTable } from "../../store/follow-table.ts";
import { put, remove, type Store, type Write } from "../../store/store.ts";
import { tokens } from "../../store/tables.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { type Actor, hubActor } from "../audit/audit-record.ts";
import { describeToken } from "../audit/describe-token.ts";
import { LiveToken } from "./live-token.ts";
import { TokenDerivations } from "./token-derivations.ts";
import { expiryOf, type TokenLife, type TokenRecord, toTokenRecord, toTokenValue } from "./token-record.ts";
import { isSecret, issueToken, parseTokenText } from "./token-text.ts";
import { TokenUses } from "./token-uses.ts";

export interface NewToken extends TokenLife {
  readonly user: string;
  readonly groups: readonly string[];
  readonly description: string;
}

/** A token and its text, which is shown once and stored nowhere. */
export interface CreatedToken {
  readonly record: TokenRecord;
  readonly text: string;
}

export interface TokenRegistryOptions {
  readonly store: Store;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A token derived from another at a login. */
export interface DerivedToken extends Pick<NewToken, "user" | "groups" | "description"> {
  /** The derived token ends with this one, which must not itself be derived. */
  readonly parentId: string;
  readonly ttlMs: number;
}

/** A parent's row is rewritten only at its first login after an upgrade. A conflict with that write is retried. */
const mostDeriveAttempts = 3;

/**
 * The hub's tokens in memory, kept current by a watch of the store. Verification reads nothing; a token revoked by any
 * process ends when its delete arrives (U-13, U-28). This process's own writes take effect at once.
 */
export class TokenRegistry implements TokenVerifier {
  readonly #options: TokenRegistryOptions;
  readonly #byId = new Map<string, LiveToken>();
  readonly #families = new TokenDerivations();
  readonly #uses: TokenUses;
  /** Revision of a token's delete, until the watch has passed it: an older write must not restore the token. */
  readonly #deleted = new Map<string, Revision>();
  readonly #loading = Promise.withResolvers<void>();
  #isLoaded = false;

  constructor(options: TokenRegistryOptions) {
    this.#options = options;
    const { store, clock, log } = options;
    this.#uses = new TokenUses({ store, clock, log, isToken: (id) => this.#byId.has(id) });
  }

  /**
   * Follows the store until the signal aborts, retrying temporary failures. Rejects with the signal's reason or a
   * permanent failure.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await runTogether([(both) => this.#follow(both), (both) => this.#uses.run(both)], signal);
      throwIfAborted(signal);
    } finally {
      for (const token of this.#byId.values()) token.forget();
    }
  }

  /** Resolves when the tokens of the store are loaded. */
  get loaded(): Promise<void> {
    return this.#loading.promise;
  }

  /** Throws UNAVAILABLE until the tokens of the store are loaded. */
  assertLoaded(): void {
    if (!this.#isLoaded) throw new FlotillaError("UNAVAILABLE", "the hub is still loading its tokens; try again");
  }

  async create(wanted: NewToken, by: Actor = hubActor): Promise<CreatedToken> {
    const { user, groups, description } = wanted;
    const createdAtMs = this.#options.clock.wallMs();
    const expiresAtMs = expiryOf(wanted, createdAtMs);
    const made = this.#make({ user, groups, description, createdAtMs, expiresAtMs, parentId: undefined });
    const outcome = await this.#options.audit.commit([made.write], [describeToken("token.create", made.record)], by);
    if (outcome.kind !== "committed")
      throw new FlotillaError("CONFLICT", "a token with that id already exists; try again");
    return this.#add(made, outcome.revisions[0] ?? outcome.revision);
  }

  /**
   * Creates a token that ends with its parent: when any process revokes the parent, and no later than the parent's
   * expiry. Throws UNAUTHENTICATED if the parent has ended at the commit. The same commit removes rows of ended derived
   * tokens.
   */
  async derive(wanted: DerivedToken, by: Actor = hubActor, attemptsLeft = mostDeriveAttempts): Promise<CreatedToken> {
    const { parentId, ttlMs, ...identity } = wanted;
    const { audit, clock, store } = this.#options;
    const parent = this.#byId.get(parentId);
    if (parent === undefined || parent.isExpired()) throw parentEnded();
    assert(parent.record.parentId === undefined, "a token is derived only from one that is not itself derived");
    const createdAtMs = clock.wallMs();
    const expiresAtMs = Math.min(createdAtMs + ttlMs, parent.record.expiresAtMs ?? Number.POSITIVE_INFINITY);
    const made = this.#make({ ...identity, createdAtMs, expiresAtMs, parentId });
    const removableIds = this.#families.findSpent(parentId, createdAtMs, (id) => this.#byId.has(id));
    const parentKey = [store.workspace, parentId];
    // Rewrites the parent unchanged: the commit conflicts unless the parent still exists at this revision.
    const sameParent = put(tokens, parentKey, toTokenValue(parent.record), parent.record.revision);
    const outcome = await audit.commit(
      [made.write, sameParent, ...removableIds.flatMap((id) => this.#removalsOf(id))],
      [describeToken("token.login", made.record)],
      by,
    );
    if (outcome.kind !== "committed") {
      const row = attemptsLeft > 1 ? await store.get(tokens, parentKey) : undefined;
      if (row === undefined) throw parentEnded();
      this.#upsert(toTokenRecord(parentId, row.revision, row.value));
      return this.derive(wanted, by, attemptsLeft - 1);
    }
    for (const id of removableIds) this.#delete(id, outcome.revision);
    return this.#add(made, outcome.revisions[0] ?? outcome.revision);
  }

  /** The record of a token, expired or not; undefined when it was revoked or never existed. */
  get(id: string): TokenRecord | undefined {
    return this.#byId.get(id)?.record;
  }

  /** Wall time of a token's last use; undefined where none is known (CL21). */
  lastUsedAtMs(id: string): number | undefined {
    return this.#uses.get(id);
  }

  /** Revokes a token and all tokens derived from it. False when no such token exists. */
  async revoke(id: string, by: Actor = hubActor): Promise<boolean> {
    const { store } = this.#options;
    const row = await store.get(tokens, [store.workspace, id]);
    if (row === undefined) return false;
    const record = toTokenRecord(id, row.revision, row.value);
    const entry = describeToken(by.tokenId === id ? "token.logout" : "token.revoke", record);
    const ids = [id, ...this.#families.childrenOf(id)];
    const writes = ids.flatMap((each) => this.#removalsOf(each));
    const outcome = await this.#options.audit.commit(writes, [entry], by);
    if (outcome.kind !== "committed") return false;
    for (const each of ids) this.#delete(each, outcome.revision);
    return true;
  }

  verify(text: string): VerifiedToken | TokenRefusal {
    this.assertLoaded();
    const parsed = parseTokenText(text);
    if (parsed === undefined) return { kind: "refused", reason: "unknown" };
    const token = this.#byId.get(parsed.id);
    const matches = isSecret(parsed.secret, token?.record.secretHash);
    if (token === undefined || !matches) return { kind: "refused", reason: "unknown" };
    const { id, user, groups, expiresAtMs: endsAtMs } = token.record;
    const reason = this.#findEnd(token);
    if (reason !== undefined) return { kind: "refused", reason };
    this.#uses.note(id);
    return { kind: "verified", tokenId: id, subject: createSubject({ user, groups }), ended: token.ended, endsAtMs };
  }

  /** Whether some valid token of the user has all these groups. Throws UNAVAILABLE until the tokens are loaded. */
  hasValidToken(user: string, groups: readonly string[]): boolean {
    this.assertLoaded();
    return this.#byId.values().some((token) => {
      if (token.record.user !== user || this.#findEnd(token) !== undefined) return false;
      const held = new Set(createSubject(token.record).groups);
      return groups.every((group) => held.has(group));
    });
  }

  /** Why a known token is not valid any more; undefined while it is. */
  #findEnd(token: LiveToken): "revoked" | "expired" | undefined {
    const { parentId } = token.record;
    // A token derived while another process revoked its parent can leave a row behind.
    if (parentId !== undefined && !this.#byId.has(parentId)) return "revoked";
    return token.isExpired() ? "expired" : undefined;
  }

  /** A token that is not stored yet, with a secret of its own. */
  #make(given: Omit<TokenRecord, "id" | "secretHash" | "revision">): CreatedToken & { readonly write: Write } {
    const { random, store } = this.#options;
    const { id, text, secretHash } = issueToken(createId("tok", random), random);
    const record = { ...given, id, secretHash, revision: toRevision(0) };
    return { record, text, write: put(tokens, [store.workspace, id], toTokenValue(record), "absent") };
  }

  #add({ record, text }: CreatedToken, revision: Revision): CreatedToken {
    const stored = { ...record, revision };
    this.#upsert(stored);
    return { record: stored, text };
  }

  #removalsOf(id: string): readonly Write[] {
    return [remove(tokens, [this.#options.store.workspace, id]), this.#uses.removal(id)];
  }

  #follow(signal: AbortSignal): Promise<never> {
    const { store, clock, random, log } = this.#options;
    return followTable(
      {
        store,
        table: tokens,
        prefix: [store.workspace],
        what: "following the tokens in the store",
        clock,
        random,
        log,
      },
      {
        ids: () => this.#byId.keys(),
        set: (id, value, at) => {
          if (value === null) this.#delete(id, at);
          else this.#upsert(toTokenRecord(id, at, value));
        },
        listed: async () => {
          await this.#uses.load();
          this.#isLoaded = true;
          this.#loading.resolve();
        },
        delivered: (revision) => {
          for (const [id, at] of this.#deleted) if (at <= revision) this.#deleted.delete(id);
        },
      },
      signal,
    );
  }

  #upsert(record: TokenRecord): void {
    const known = this.#byId.get(record.id);
    if (known !== undefined && known.record.revision >= record.revision) return;
    if ((this.#deleted.get(record.id) ?? 0n) > record.revision) return;
    if (known === undefined) this.#byId.set(record.id, new LiveToken(record, this.#options.clock));
    else known.update(record);
    this.#families.add(record);
  }

  #delete(id: string, at: Revision): void {
    const known = this.#byId.get(id);
    if (known !== undefined && known.record.revision > at) return;
    this.#deleted.set(id, at);
    this.#byId.delete(id);
    this.#uses.forget(id);
    known?.revoke();
    if (known !== undefined) this.#families.remove(known.record);
    for (const child of this.#families.childrenOf(id)) this.#byId.get(child)?.revoke();
  }
}

function parentEnded(): FlotillaError {
  return new FlotillaError("UNAUTHENTICATED", "the token was revoked or has expired; log in with another");
}
