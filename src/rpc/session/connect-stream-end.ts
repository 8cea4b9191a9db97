// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort, throwIfAborted } from "../../base/abort.ts";
import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import type { StreamEnd, StreamEnding } from "../../session/transport.ts";

interface Sending {
  readonly message: Uint8Array;
  readonly taken: PromiseWithResolvers<void>;
}

/**
 * One end of a session's stream over Connect. Received messages come from Connect's iterable; `outgoing` is the
 * iterable that Connect sends. A message counts as sent when Connect reads the next one, which it does once the socket
 * has accepted it. So a peer that does not read blocks the sender, and only messages of waiting `send` calls are held.
 * Node ends its half of an HTTP/2 stream before it resets it, so a broken stream may look like a regular end to the
 * peer: a sender that leaves regularly must announce it in a message.
 */
export class ConnectStreamEnd implements StreamEnd {
  readonly closed: Promise<StreamEnding>;
  readonly receive: AsyncIterable<Uint8Array>;
  readonly #ending = Promise.withResolvers<StreamEnding>();
  readonly #incoming: AsyncIterator<Uint8Array>;
  readonly #release: (ending: StreamEnding) => void | Promise<void>;
  /** One message is read ahead, so that the call starts at once and its end is noticed even without a reader. */
  #upcoming: Promise<IteratorResult<Uint8Array>>;
  #waiting: Sending[] = [];
  /** The message that Connect took and has not read past. Connect does not report its fate when a call ends. */
  #unconfirmed: Sending | undefined;
  #wake: (() => void) | undefined;
  #ended: StreamEnding | undefined;

  /**
   * `release` is called once, when the stream has ended, to free the connection or other resources. If it returns a
   * promise, which must not reject, nothing can be sent after that resolves.
   */
  constructor(incoming: AsyncIterable<Uint8Array>, release: (ending: StreamEnding) => void | Promise<void>) {
    this.#incoming = incoming[Symbol.asyncIterator]();
    this.#release = release;
    this.closed = this.#ending.promise;
    // Has no `return`: leaving a loop over it does not end the stream.
    this.receive = { [Symbol.asyncIterator]: () => ({ next: () => this.#receiveNext() }) };
    this.#upcoming = this.#readNext();
  }

  async send(message: Uint8Array, signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (this.#ended !== undefined) throw closedError(this.#ended);
    const sending: Sending = { message, taken: Promise.withResolvers<void>() };
    this.#waiting.push(sending);
    this.#wake?.();
    const unlisten =
      signal === undefined
        ? undefined
        : onAbort(signal, () => {
            const at = this.#waiting.indexOf(sending);
            // A message that Connect has already read cannot be withdrawn.
            if (at !== -1) {
              this.#waiting.splice(at, 1);
              sending.taken.reject(abortReason(signal));
            }
          });
    try {
      await sending.taken.promise;
    } finally {
      unlisten?.();
    }
  }

  close(error?: FlotillaError): void {
    this.#end(error === undefined ? { kind: "ended" } : { kind: "failed", error });
  }

  /**
   * The messages for Connect to send, until the stream ends. After a failure it throws the error, so that the peer sees
   * a failed stream.
   */
  async *outgoing(): AsyncIterable<Uint8Array> {
    try {
      for (;;) {
        const sending = this.#waiting.shift();
        if (sending !== undefined) {
          this.#unconfirmed = sending;
          yield sending.message;
          this.#unconfirmed = undefined;
          sending.taken.resolve();
        } else if (this.#ended === undefined) {
          await this.#waitForWake();
        } else if (this.#ended.kind === "failed") {
          throw this.#ended.error;
        } else {
          return;
        }
      }
    } finally {
      this.#end({ kind: "failed", error: new FlotillaError("UNAVAILABLE", "the stream of the session broke") });
    }
  }

  async #receiveNext(): Promise<IteratorResult<Uint8Array>> {
    if (this.#ended?.kind === "failed") throw this.#ended.error;
    const step = await this.#upcoming;
    if (step.done !== true) this.#upcoming = this.#readNext();
    return step;
  }

  #readNext(): Promise<IteratorResult<Uint8Array>> {
    const asked = this.#incoming.next().catch((reason: unknown) => {
      const error = toFlotillaError(reason);
      this.#end({ kind: "failed", error });
      throw error;
    });
    asked.then(
      ({ done }) => done === true && this.#end({ kind: "ended" }),
      () => undefined, // handled above; readers get the same error
    );
    return asked;
  }

  /**
   * The first ending counts. After a regular close queued messages are still sent; after a failure they are rejected.
   */
  #end(ending: StreamEnding): void {
    if (this.#ended !== undefined) return;
    this.#ended = ending;
    if (ending.kind === "failed") this.#refuseWaiting(ending);
    this.#wake?.();
    this.#ending.resolve(ending);
    void this.#release(ending)?.then(() => this.#refuseWaiting(ending));
  }

  #refuseWaiting(ending: StreamEnding): void {
    for (const { taken } of this.#waiting.splice(0)) taken.reject(closedError(ending));
    this.#unconfirmed?.taken.reject(closedError(ending));
  }

  #waitForWake(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = () => {
      this.#wake = undefined;
      resolve();
    };
    return promise;
  }
}

function closedError(ending: StreamEnding): FlotillaError {
  const cause = ending.kind === "failed" ? { cause: ending.error } : {};
  return new FlotillaError("UNAVAILABLE", "the stream of the session is closed", cause);
}
