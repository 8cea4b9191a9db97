// SPDX-License-Identifier: Apache-2.0
import type { Fate, Passage } from "./tap.ts";

/** Bytes that are no message at all. */
const noise = new Uint8Array(8).fill(0xff);

/** What may become of the next message of a live session: it is lost, or arrives as noise (N-25, Q-32). */
export type MessageFault = "lose" | "garble";

/** Told of what was done to which message. */
export type OnHarm = (sentence: string) => void;

/** The hub's door, at which single messages are harmed. */
export class Door {
  #next: { readonly fault: MessageFault; readonly direction: Passage["direction"] } | undefined;

  readonly #onHarm: OnHarm;

  constructor(onHarm: OnHarm) {
    this.#onHarm = onHarm;
  }

  /** Harms the next message that passes in that direction; undefined takes it back. */
  harmNext(next: { readonly fault: MessageFault; readonly direction: Passage["direction"] } | undefined): void {
    this.#next = next;
  }

  /** What becomes of a message. Those before Welcome pass: a greeting that is lost is only late. */
  decide({ direction, stream, kind }: Passage): Fate {
    const next = this.#next;
    if (next === undefined || next.direction !== direction || stream.epoch === 0 || kind === "welcome") return "pass";
    this.#next = undefined;
    this.#onHarm(`door ${next.fault === "lose" ? "loses" : "garbles"} ${direction} ${kind}`);
    return next.fault === "lose" ? "lose" : noise;
  }
}
