// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";

/** The identity that a login grants, and the token with which it ends. */
export interface LoginGrant {
  readonly user: string;
  readonly groups: readonly string[];
  readonly parentId: string;
}

/** 256 bits, as for a token: too many to guess within its lifetime. */
const codeBytes = 32;

/** Shares the prefix of tokens, so that the log masks a code and secret scanners find it. It is not itself a token. */
const codePrefix = "flt_login_";

/** 5 minutes: time to copy the link to a browser (PG4). */
export const codeLifeMs = 300_000;

/**
 * Maximum unused codes; the next drops the oldest. Callers who can create codes can create tokens too, so this bounds
 * mistakes, not attacks.
 */
const maxCodeCount = 1_000;

/**
 * The one-time codes of login links. Kept in memory only: a restart ends them. Indexed by hash, so that the timing of a
 * lookup reveals nothing about other codes.
 */
export class LoginCodes {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #byHash = new Map<string, { readonly grant: LoginGrant; readonly endsAtMs: number }>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  create(grant: LoginGrant): string {
    this.#dropEnded();
    const [oldest] = this.#byHash.keys();
    if (oldest !== undefined && this.#byHash.size >= maxCodeCount) this.#byHash.delete(oldest);
    const code = `${codePrefix}${Buffer.from(this.#random.bytes(codeBytes)).toString("base64url")}`;
    this.#byHash.set(hashOf(code), { grant, endsAtMs: this.#clock.nowMs() + codeLifeMs });
    return code;
  }

  /** Consumes the code and returns its grant. Undefined for a used, unknown or expired code. */
  take(code: string): LoginGrant | undefined {
    this.#dropEnded();
    const hash = hashOf(code);
    const found = this.#byHash.get(hash);
    this.#byHash.delete(hash);
    return found?.grant;
  }

  /** All have the same lifetime, so the oldest come first. */
  #dropEnded(): void {
    const nowMs = this.#clock.nowMs();
    for (const [hash, { endsAtMs }] of this.#byHash) {
      if (endsAtMs > nowMs) return;
      this.#byHash.delete(hash);
    }
  }
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("base64");
}
