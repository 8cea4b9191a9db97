// SPDX-License-Identifier: Apache-2.0

/** The hub's two clocks in a message. */
export interface HubTime {
  /** Monotonic. */
  readonly nowMs: number;
  readonly wallMs: number;
}

/**
 * Computes ages of hub times without comparing two clocks (PG17): the age at sending plus the local time since receipt.
 * Uses the newest message; its transit time makes an age too small, never too large.
 */
export class HubClock {
  readonly #localNowMs: () => number;
  #time: HubTime | undefined;
  #heardMs = 0;

  /** `localNowMs` is the local monotonic clock. It must continue during sleep, or a new message must follow it. */
  constructor(localNowMs: () => number) {
    this.#localNowMs = localNowMs;
  }

  /** Records the times of a message received now. */
  note(time: HubTime): void {
    this.#time = time;
    this.#heardMs = this.#localNowMs();
  }

  /** Age of a time on the hub's monotonic clock; negative for a future one. Undefined before the first message. */
  ageMs(instantMs: number): number | undefined {
    return this.#time === undefined ? undefined : this.#time.nowMs + this.#sinceHeardMs() - instantMs;
  }

  /** The hub's wall clock at one of its monotonic times, for display. */
  wallAt(instantMs: number): Date | undefined {
    return this.#time === undefined ? undefined : new Date(this.#time.wallMs - (this.#time.nowMs - instantMs));
  }

  /** The hub's wall clock now. */
  wallNow(): Date | undefined {
    return this.#time === undefined ? undefined : new Date(this.#time.wallMs + this.#sinceHeardMs());
  }

  /** Time since the last message; undefined before the first. */
  get silentMs(): number | undefined {
    return this.#time === undefined ? undefined : this.#sinceHeardMs();
  }

  #sinceHeardMs(): number {
    return Math.max(0, this.#localNowMs() - this.#heardMs);
  }
}
