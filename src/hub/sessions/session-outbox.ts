// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { StreamEnd } from "../../session/transport.ts";

/** The limit on bytes queued for an agent. Answers are small; beyond this the agent has stopped reading. */
const maxWaitingBytes = 1024 * 1024;

/** How long the last message may take before the stream is aborted. */
const finalMessageMs = 2_000;

/** Sends in order without waiting for the reader, and closes the stream once. */
export class SessionOutbox {
  readonly #end: StreamEnd;
  readonly #clock: Clock;
  readonly #onFailure: (detail: string) => void;
  #waitingBytes = 0;
  #last: Promise<void> = Promise.resolve();
  #isClosing = false;
  /** Messages sent so far. */
  sentCount = 0;

  /** `onFailure` is called if a message could not be sent, or if too many bytes are queued. */
  constructor(end: StreamEnd, clock: Clock, onFailure: (detail: string) => void) {
    this.#end = end;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  send(message: Uint8Array): void {
    if (this.#isClosing) return;
    this.sentCount += 1;
    this.#waitingBytes += message.length;
    if (this.#waitingBytes > maxWaitingBytes) {
      this.#onFailure(`the agent does not read: ${this.#waitingBytes} bytes wait for it`);
      return;
    }
    this.#last = this.#end.send(message).then(
      () => {
        this.#waitingBytes -= message.length;
      },
      (reason: unknown) => {
        this.#onFailure(reason instanceof FlotillaError ? reason.message : "a message could not be sent");
      },
    );
  }

  /** Waits for sent messages, within a bound, then closes the stream. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const waited = new AbortController();
    const limit = this.#clock.sleep(finalMessageMs, waited.signal).catch(() => undefined);
    await Promise.race([this.#last, limit]);
    waited.abort(new Error("the last message is sent"));
    this.#end.close();
  }

  /** Aborts the stream at once. */
  break(error: FlotillaError): void {
    this.#isClosing = true;
    this.#end.close(error);
  }
}
