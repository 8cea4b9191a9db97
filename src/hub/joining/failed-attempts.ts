// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { senderNetworkOf } from "../../rpc/auth/sender-network.ts";

/**
 * Failures allowed per sender network and window: enough for a person who pastes the wrong text, too few for guessing.
 */
const maxFailureCount = 20;

const windowMs = 60_000;

/** Sender networks kept, about 1 MB. Beyond this the one whose window began first is dropped. */
const maxAddressCount = 10_000;

/**
 * Limits failed attempts per sender network, so that a public method cannot be used for guessing or to keep the hub
 * busy. A window begins with its first failure. Only failures are counted; over the limit every attempt is refused.
 * Attempts admitted before the limit was reached still run.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #attempts: string;
  readonly #byAddress = new Map<string, { readonly endsAtMs: number; count: number }>();

  /** `attempts` is the plural noun in the error text of a refusal. */
  constructor(clock: Clock, attempts: string) {
    this.#clock = clock;
    this.#attempts = attempts;
  }

  /** Throws OVERLOADED with the time to wait if too many attempts of this address's network have failed. */
  assertAllowed(address: string): void {
    const found = this.#byAddress.get(senderNetworkOf(address));
    if (found === undefined || found.count < maxFailureCount) return;
    const leftMs = found.endsAtMs - this.#clock.nowMs();
    if (leftMs <= 0) return;
    const seconds = Math.ceil(leftMs / 1_000);
    throw new FlotillaError(
      "OVERLOADED",
      `too many ${this.#attempts} from this address have failed; try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}`,
    );
  }

  noteFailure(address: string): void {
    const nowMs = this.#clock.nowMs();
    const network = senderNetworkOf(address);
    const found = this.#byAddress.get(network);
    if (found !== undefined && found.endsAtMs > nowMs) {
      found.count += 1;
      return;
    }
    // Delete before set keeps the map in the order in which windows began.
    this.#byAddress.delete(network);
    const [oldest] = this.#byAddress.keys();
    if (oldest !== undefined && this.#byAddress.size >= maxAddressCount) this.#byAddress.delete(oldest);
    this.#byAddress.set(network, { endsAtMs: nowMs + windowMs, count: 1 });
  }
}
