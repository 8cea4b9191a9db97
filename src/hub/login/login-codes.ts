// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";

/** Whom a login lets in, and the token that it ends with. */
export interface LoginGrant {
  readonly user: string;
  readonly groups: readonly string[];
  readonly parentId: string;
}

/** 256 bits, as a token has: nobody guesses one in the minutes that it is good for. */
const codeBytes = 32;

/** Begins as tokens do, so that our own log masks one that gets there, and scanners find it. It has not the form of a token. */
const codePrefix = "flt_login_";

/** 5 minutes: from one window to the next (PG4). */
export const codeLifeMs = 300_000;

/** Codes that wait to be used. Those who may make codes may make tokens, so this bounds mistakes and not attacks; the oldest goes. */
const maxCodeCount = 1_000;

/**
 * The one-time codes of login links, in the memory of this process: a restart ends them, and they are never in the store. Kept by
 * hash, so that looking one up tells nothing of the others by the time it takes.
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

  /** What the code was made for, once: it is spent by this. Undefined for one that was used, is unknown or too old. */
  take(code: string): LoginGrant | undefined {
    this.#dropEnded();
    const hash = hashOf(code);
    const found = this.#byHash.get(hash);
    this.#byHash.delete(hash);
    return found?.grant;
  }

  /** All live equally long, so the oldest are the first. */
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
