// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../base/clock.ts";
import { FlotillaError } from "../base/error.ts";
import { senderNetworkOf } from "../rpc/sender-network.ts";

/** Failures of one address in one window: plenty for a person who pastes the wrong text, nothing for one who guesses. */
const maxFailureCount = 20;

const windowMs = 60_000;

/** Addresses that are remembered; one more and the one whose window is oldest is forgotten. About 1 MB. */
const maxAddressCount = 10_000;

/**
 * Counts the attempts that failed, by address, so that a public method cannot be used to guess or to keep the hub busy. A window
 * begins with its first failure. Attempts that succeed are not counted; while an address is over its limit they are refused too.
 * Attempts that were let in before the limit was reached are still judged.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #what: string;
  readonly #byAddress = new Map<string, { readonly endsAtMs: number; count: number }>();

  /** `what` names the attempts in the sentence of a refusal. */
  constructor(clock: Clock, what: string) {
    this.#clock = clock;
    this.#what = what;
  }

  /** Throws OVERLOADED, with how long to wait, if too many attempts of that address have failed. */
  assertAllowed(address: string): void {
    const found = this.#byAddress.get(senderNetworkOf(address));
    if (found === undefined || found.count < maxFailureCount) return;
    const leftMs = found.endsAtMs - this.#clock.nowMs();
    if (leftMs <= 0) return;
    const seconds = Math.ceil(leftMs / 1_000);
    throw new FlotillaError(
      "OVERLOADED",
      `too many ${this.#what} from this address have failed; try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}`,
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
    // Deleted first, so that the order of the map is the order in which windows began.
    this.#byAddress.delete(network);
    const [oldest] = this.#byAddress.keys();
    if (oldest !== undefined && this.#byAddress.size >= maxAddressCount) this.#byAddress.delete(oldest);
    this.#byAddress.set(network, { endsAtMs: nowMs + windowMs, count: 1 });
  }
}
