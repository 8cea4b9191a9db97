// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import { FlotillaError } from "../../base/error.ts";

/** Failed logins of one address in one window: plenty for somebody who pastes the wrong thing, nothing for who guesses. */
const maxFailureCount = 20;

const windowMs = 60_000;

/** Addresses that are remembered; one more and the one whose window is oldest is forgotten. About 1 MB. */
const maxAddressCount = 10_000;

/**
 * Counts the logins that failed, by address, so that a public method cannot be used to guess or to fill the log. A window begins
 * with its first failure. Logins that succeed are not counted; while an address is over its limit they are refused too.
 */
export class FailedLogins {
  readonly #clock: Clock;
  readonly #what: string;
  readonly #byAddress = new Map<string, { readonly endsAtMs: number; count: number }>();

  /** `what` is the attempts' name in the sentence of a refusal. */
  constructor(clock: Clock, what = "logins") {
    this.#clock = clock;
    this.#what = what;
  }

  /** Throws OVERLOADED, with how long to wait, if too many logins of that address have failed. */
  assertAllowed(address: string): void {
    const found = this.#byAddress.get(toNetwork(address));
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
    const network = toNetwork(address);
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

/** What one sender holds: an IPv4 address, or the first half of an IPv6 one, since a whole /64 is commonly one machine's. */
function toNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1] ?? address;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => "0");
  return [...groups, ...zeros, ...after].slice(0, 4).join(":");
}
