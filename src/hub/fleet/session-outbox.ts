// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import { FlotillaError } from "../../base/error.ts";
import type { StreamEnd } from "../../session/transport.ts";

/** Bytes that may wait for an agent that does not read. Answers are small; beyond this it has stopped reading. */
const maxWaitingBytes = 1024 * 1024;

/** How long a last word may take to go out before the stream is broken off. */
const lastWordMs = 2_000;

/** Sends in order, never waits for the reader, and closes the stream once. */
export class SessionOutbox {
  readonly #end: StreamEnd;
  readonly #clock: Clock;
  readonly #onFailure: (detail: string) => void;
  #waitingBytes = 0;
  #last: Promise<void> = Promise.resolve();
  #isClosing = false;
  /** Messages sent so far. */
  sentCount = 0;

  /** `onFailure` is called when a message could not be sent, or too many wait. */
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

  /** Lets what was sent go out, within a bound, then closes in order. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const waited = new AbortController();
    const limit = this.#clock.sleep(lastWordMs, waited.signal).catch(() => undefined);
    await Promise.race([this.#last, limit]);
    waited.abort(new Error("the last word is out"));
    this.#end.close();
  }

  /** Breaks the stream off at once. */
  break(error: FlotillaError): void {
    this.#isClosing = true;
    this.#end.close(error);
  }
}
