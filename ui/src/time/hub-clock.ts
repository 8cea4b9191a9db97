// SPDX-License-Identifier: Apache-2.0

/** What a message of the hub says of the hub's two clocks. */
export interface HubTime {
  /** Monotonic. */
  readonly nowMs: number;
  readonly wallMs: number;
}

/**
 * Ages of the hub's instants, without comparing two clocks (PG17): an instant is so old as the hub said, plus what has passed here since. The
 * newest message counts; what it took on the way makes an age too small by that much, never too large.
 */
export class HubClock {
  readonly #localNowMs: () => number;
  #time: HubTime | undefined;
  #heardMs = 0;

  /** Takes the local monotonic clock, which must go on while the machine sleeps or be followed by a new message after it. */
  constructor(localNowMs: () => number) {
    this.#localNowMs = localNowMs;
  }

  /** Notes the times of a message that came now. */
  note(time: HubTime): void {
    this.#time = time;
    this.#heardMs = this.#localNowMs();
  }

  /** How long ago an instant of the hub's monotonic clock was; negative for one to come. Undefined before the first message. */
  ageMs(instantMs: number): number | undefined {
    return this.#time === undefined ? undefined : this.#time.nowMs + this.#sinceHeardMs() - instantMs;
  }

  /** The hub's wall clock at one of its instants, for people. */
  wallAt(instantMs: number): Date | undefined {
    return this.#time === undefined ? undefined : new Date(this.#time.wallMs - (this.#time.nowMs - instantMs));
  }

  /** What the hub's wall clock shows now. */
  wallNow(): Date | undefined {
    return this.#time === undefined ? undefined : new Date(this.#time.wallMs + this.#sinceHeardMs());
  }

  /** How long nothing was heard; undefined before the first message. */
  get silentMs(): number | undefined {
    return this.#time === undefined ? undefined : this.#sinceHeardMs();
  }

  #sinceHeardMs(): number {
    return Math.max(0, this.#localNowMs() - this.#heardMs);
  }
}
