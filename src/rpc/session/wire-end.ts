// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort, throwIfAborted } from "../../base/abort.ts";
import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import type { StreamEnd, StreamEnding } from "../../session/transport.ts";

interface Sending {
  readonly message: Uint8Array;
  readonly taken: PromiseWithResolvers<void>;
}

/**
 * One end of a session's stream over Connect: messages come from the iteration that Connect gives, and go into the one it takes
 * (`outgoing`). A message counts as sent when Connect asks for the one after it, which it does once the socket has taken it: so
 * a peer that does not read holds the sender back, and nothing is kept but what its callers wait with. Node ends its half of an
 * HTTP/2 stream before it resets it, so a break by one end may look to the other like an orderly end: who leaves in order says so
 * in a message.
 */
export class WireEnd implements StreamEnd {
  readonly closed: Promise<StreamEnding>;
  readonly receive: AsyncIterable<Uint8Array>;
  readonly #ending = Promise.withResolvers<StreamEnding>();
  readonly #incoming: AsyncIterator<Uint8Array>;
  readonly #letGo: (ending: StreamEnding) => void | Promise<void>;
  /** One message is asked for ahead: so the call begins at once, and an ending is noticed also while nobody reads. */
  #upcoming: Promise<IteratorResult<Uint8Array>>;
  #waiting: Sending[] = [];
  /** What Connect has taken and did not ask for more after: when a call ends it never says what became of it. */
  #inHand: Sending | undefined;
  #wake: (() => void) | undefined;
  #ended: StreamEnding | undefined;

  /**
   * `letGo` is called once, when this end is over: to free the connection, or whatever else holds the stream. Where it answers a promise,
   * which never rejects, nothing can go out any more when that resolves.
   */
  constructor(incoming: AsyncIterable<Uint8Array>, letGo: (ending: StreamEnding) => void | Promise<void>) {
    this.#incoming = incoming[Symbol.asyncIterator]();
    this.#letGo = letGo;
    this.closed = this.#ending.promise;
    // Without `return`: leaving a loop over it keeps the stream.
    this.receive = { [Symbol.asyncIterator]: () => ({ next: () => this.#receiveNext() }) };
    this.#upcoming = this.#askNext();
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
            // What Connect has in hand is on its way: it can no longer be taken back.
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

  /** What Connect sends for this end, until it is over; a break throws its error, so that the other side sees a failed stream. */
  async *outgoing(): AsyncIterable<Uint8Array> {
    try {
      for (;;) {
        const sending = this.#waiting.shift();
        if (sending !== undefined) {
          this.#inHand = sending;
          yield sending.message;
          this.#inHand = undefined;
          sending.taken.resolve();
        } else if (this.#ended === undefined) {
          await this.#untilWoken();
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
    if (step.done !== true) this.#upcoming = this.#askNext();
    return step;
  }

  #askNext(): Promise<IteratorResult<Uint8Array>> {
    const asked = this.#incoming.next().catch((reason: unknown) => {
      const error = toFlotillaError(reason);
      this.#end({ kind: "failed", error });
      throw error;
    });
    asked.then(
      ({ done }) => done === true && this.#end({ kind: "ended" }),
      () => undefined, // told above, and to whoever reads
    );
    return asked;
  }

  /** The first ending counts. Messages that wait still go out in order of an orderly close, and are refused with a break. */
  #end(ending: StreamEnding): void {
    if (this.#ended !== undefined) return;
    this.#ended = ending;
    if (ending.kind === "failed") this.#refuseWaiting(ending);
    this.#wake?.();
    this.#ending.resolve(ending);
    void this.#letGo(ending)?.then(() => this.#refuseWaiting(ending));
  }

  #refuseWaiting(ending: StreamEnding): void {
    for (const { taken } of this.#waiting.splice(0)) taken.reject(closedError(ending));
    this.#inHand?.taken.reject(closedError(ending));
  }

  #untilWoken(): Promise<void> {
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
