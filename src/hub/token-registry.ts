// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../base/clock.ts";
import { FlotillaError, hasCode } from "../base/error.ts";
import { createId } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import { retry } from "../base/retry.ts";
import type { Revision } from "../model/revision.ts";
import { createSubject } from "../model/subject.ts";
import type { TokenRefusal, TokenVerifier, VerifiedToken } from "../rpc/authenticate.ts";
import { put, remove, type Store } from "../store/store.ts";
import { rootWorkspace, tokens } from "../store/tables.ts";
import { LiveToken } from "./live-token.ts";
import { type TokenRecord, toTokenRecord, toTokenValue } from "./token-record.ts";
import { isSecret, issueToken, parseTokenText } from "./token-text.ts";

export interface NewToken {
  readonly user: string;
  readonly groups: readonly string[];
  readonly description: string;
  /** Undefined: it does not expire. */
  readonly ttlMs: number | undefined;
}

export interface TokenRegistryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A store that cannot be read for a moment (a locked file, a full disk) is asked again soon: tokens made meanwhile wait for it. */
const followBackoff = { firstMs: 100, factor: 2, capMs: 5_000, stableMs: 10_000 };

/** What a guess at an unknown id is compared with, so that it takes as long as a known one. */
const nobodysHash = new Uint8Array(32);

/**
 * The hub's tokens, as of the store's watch: a token is checked without a read, and one revoked anywhere ends here as soon as
 * its delete arrives (U-13, U-28). `run` keeps it current; what this process writes itself counts at once.
 */
export class TokenRegistry implements TokenVerifier {
  readonly #options: TokenRegistryOptions;
  readonly #byId = new Map<string, LiveToken>();
  /** Revision at which a token was last seen deleted, until the watch has passed it: an older write must not bring it back. */
  readonly #deleted = new Map<string, Revision>();
  readonly #loading = Promise.withResolvers<void>();
  #isLoaded = false;

  constructor(options: TokenRegistryOptions) {
    this.#options = options;
  }

  /** Follows the store until the signal aborts, through whatever passes by itself. Rejects with the signal's reason, or with what cannot pass. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options;
    const following = { what: "following the tokens in the store", clock, random, log, backoff: followBackoff };
    try {
      for (;;) await retry((inner, markHealthy) => this.#listAndWatch(inner, markHealthy), following, signal);
    } finally {
      for (const token of this.#byId.values()) token.forget();
    }
  }

  /** Resolves once the tokens of the store are known. */
  get loaded(): Promise<void> {
    return this.#loading.promise;
  }

  /** Throws UNAVAILABLE until the tokens of the store are known. */
  assertLoaded(): void {
    if (!this.#isLoaded) throw new FlotillaError("UNAVAILABLE", "the hub is still loading its tokens; try again");
  }

  async create(wanted: NewToken): Promise<{ readonly record: TokenRecord; readonly text: string }> {
    const issued = issueToken(createId("tok", this.#options.random), this.#options.random);
    const createdAtMs = this.#options.clock.wallMs();
    const { ttlMs, ...identity } = wanted;
    const expiresAtMs = ttlMs === undefined ? undefined : createdAtMs + ttlMs;
    const value = toTokenValue({ ...identity, createdAtMs, expiresAtMs, secretHash: issued.secretHash });
    const outcome = await this.#options.store.commit([put(tokens, [rootWorkspace, issued.id], value, "absent")]);
    if (outcome.kind !== "committed")
      throw new FlotillaError("CONFLICT", "a token of that id was just made; try again");
    const record = toTokenRecord(issued.id, outcome.revision, value);
    this.#upsert(record);
    return { record, text: issued.text };
  }

  /** False when there is no such token. */
  async revoke(id: string): Promise<boolean> {
    const outcome = await this.#options.store.commit([remove(tokens, [rootWorkspace, id])]);
    if (outcome.kind !== "committed" || outcome.revision === 0n) return false;
    this.#delete(id, outcome.revision);
    return true;
  }

  verify(text: string): VerifiedToken | TokenRefusal {
    this.assertLoaded();
    const parsed = parseTokenText(text);
    if (parsed === undefined) return { kind: "refused", reason: "unknown" };
    const token = this.#byId.get(parsed.id);
    const isRight = isSecret(parsed.secret, token?.record.secretHash ?? nobodysHash);
    if (token === undefined || !isRight) return { kind: "refused", reason: "unknown" };
    if (token.isExpired()) return { kind: "refused", reason: "expired" };
    const { id, user, groups } = token.record;
    return { kind: "verified", tokenId: id, subject: createSubject({ user, groups }), ended: token.ended };
  }

  async #listAndWatch(signal: AbortSignal, markHealthy: () => void): Promise<void> {
    const revision = await this.#list();
    markHealthy();
    try {
      for await (const batch of this.#options.store.watch(tokens, {
        prefix: [rootWorkspace],
        from: this.#options.store.cursor(revision),
        signal,
      })) {
        for (const { key, value, revision: at } of batch.changes) {
          const id = key[1] ?? "";
          if (value === null) this.#delete(id, at);
          else this.#upsert(toTokenRecord(id, at, value));
        }
        this.#deleted.clear();
      }
    } catch (reason) {
      if (!hasCode(reason, "GONE")) throw reason;
    }
  }

  async #list(): Promise<Revision> {
    const listed = new Set<string>();
    let page = await this.#options.store.list(tokens, { prefix: [rootWorkspace] });
    for (;;) {
      for (const row of page.rows) {
        const record = toTokenRecord(row.key[1] ?? "", row.revision, row.value);
        listed.add(record.id);
        this.#upsert(record);
      }
      const after = page.rows.at(-1)?.key;
      if (!page.more || after === undefined) break;
      page = await this.#options.store.list(tokens, { prefix: [rootWorkspace], after, asOf: page.revision });
    }
    for (const [id, token] of this.#byId) {
      if (!listed.has(id) && token.record.revision <= page.revision) this.#delete(id, page.revision);
    }
    this.#isLoaded = true;
    this.#loading.resolve();
    return page.revision;
  }

  #upsert(record: TokenRecord): void {
    const known = this.#byId.get(record.id);
    if (known !== undefined && known.record.revision >= record.revision) return;
    if ((this.#deleted.get(record.id) ?? 0n) > record.revision) return;
    known?.forget();
    this.#byId.set(record.id, new LiveToken(record, this.#options.clock));
  }

  #delete(id: string, at: Revision): void {
    const known = this.#byId.get(id);
    if (known !== undefined && known.record.revision > at) return;
    this.#deleted.set(id, at);
    this.#byId.delete(id);
    known?.revoke();
  }
}
