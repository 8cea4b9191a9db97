// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** The most time that a user can save up, and the share of the index thread that it regains (QL15). */
const [maxSavedMs, regainedShare] = [20_000, 0.5];

/** Users whose budgets are remembered. Beyond that, the one that asked longest ago begins with a full budget again. */
const maxUserCount = 10_000;

interface UserBudget {
  /** The time that is left; below 0 after a query that took more than was left. */
  leftMs: number;
  countedAtMs: number;
}

/** The time of the index thread that the queries of each user may take. It is regained as time passes. */
export class UserBudgets {
  readonly #nowMs: () => number;
  /** In the order of the last query. */
  readonly #byUser = new Map<string, UserBudget>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Throws OVERLOADED, with the time to wait, if nothing is left. */
  admit(user: string): void {
    const budget = this.#open(user);
    if (budget.leftMs > 0) return;
    const waitSeconds = Math.floor(-budget.leftMs / regainedShare / 1_000) + 1;
    throw new FlotillaError("OVERLOADED", `your queries took too much time of the hub; ask again in ${waitSeconds} s`);
  }

  charge(user: string, tookMs: number): void {
    this.#open(user).leftMs -= tookMs;
  }

  #open(user: string): UserBudget {
    const nowMs = this.#nowMs();
    const budget = this.#byUser.get(user) ?? { leftMs: maxSavedMs, countedAtMs: nowMs };
    budget.leftMs = Math.min(maxSavedMs, budget.leftMs + (nowMs - budget.countedAtMs) * regainedShare);
    budget.countedAtMs = nowMs;
    this.#byUser.delete(user);
    this.#byUser.set(user, budget);
    const [oldest] = this.#byUser.keys();
    if (this.#byUser.size > maxUserCount && oldest !== undefined) this.#byUser.delete(oldest);
    return budget;
  }
}
