// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import { senderNetworkOf } from "../auth/sender-network.ts";
import type { UnauthenticatedLimits } from "./listener-limits.ts";

/**
 * Counts the unauthenticated connections of one listener by sender, and gives each a deadline. A connection is no
 * longer counted once it is authenticated or closed (RP54, RP55).
 */
export class UnauthenticatedConnections {
  readonly #limits: UnauthenticatedLimits;
  readonly #clock: Clock;
  readonly #countOf = new Map<string, number>();

  constructor(limits: UnauthenticatedLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Counts a connection; the returned function ends that, once. Undefined if its sender has the maximum open. `onLate`
   * is called at the deadline.
   */
  enter(address: string, onLate: () => void): (() => void) | undefined {
    const sender = senderNetworkOf(address);
    const count = this.#countOf.get(sender) ?? 0;
    if (count >= this.#limits.maxCountPerAddress) return undefined;
    this.#countOf.set(sender, count + 1);
    const cancel = this.#clock.setTimer(this.#limits.timeoutMs, onLate);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      cancel();
      this.#leave(sender);
    };
  }

  #leave(sender: string): void {
    const left = (this.#countOf.get(sender) ?? 0) - 1;
    if (left > 0) this.#countOf.set(sender, left);
    else this.#countOf.delete(sender);
  }
}
