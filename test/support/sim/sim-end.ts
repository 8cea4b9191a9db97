// SPDX-License-Identifier: Apache-2.0
import { throwIfAborted } from "../../../src/base/abort.ts";
import { assert } from "../../../src/base/assert.ts";
import { FlotillaError } from "../../../src/base/error.ts";
import { WaitQueue } from "../../../src/base/queues/wait-queue.ts";
import type { Clock } from "../../../src/base/time/clock.ts";
import type { StreamEnd, StreamEnding } from "../../../src/session/transport.ts";
import { Lag } from "./lag.ts";

/**
 * What travels on a stream. `open`, `opened` and `refused` are the dial; `credit` says that so many bytes were read.
 */
export type Packet =
  | { readonly kind: "open" | "opened" | "refused" | "end" | "reset" }
  | { readonly kind: "message"; readonly bytes: Uint8Array }
  | { readonly kind: "credit"; readonly byteCount: number };

export interface SimEndOptions {
  readonly clock: Clock;
  /** For messages: "client-a to hub". */
  readonly name: string;
  /** Bytes under way or unread in one direction at the most. */
  readonly windowBytes: number;
  readonly transmit: (packet: Packet) => void;
  /** Time that the reading side takes for each message; 0 = none (SI18). */
  readonly readDelayMs: () => number;
}

/** An end is `dialling` until the other side answers, then `open`, then `closed` for good. */
type State = "dialling" | "open" | "closed";

/** One end of a simulated stream: the window, what is unread, and how it ended. */
export class SimEnd implements StreamEnd {
  readonly closed: Promise<StreamEnding>;
  readonly receive: AsyncIterable<Uint8Array>;
  readonly #options: SimEndOptions;
  readonly #senders = new WaitQueue<void, Uint8Array>();
  readonly #readers = new WaitQueue<IteratorResult<Uint8Array>>();
  readonly #lag: Lag;
  readonly #resolveClosed: (ending: StreamEnding) => void;
  #state: State = "dialling";
  #ending: StreamEnding | undefined;
  #unread: Uint8Array[] = [];
  #unackedBytes = 0;

  constructor(options: SimEndOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<StreamEnding>();
    this.closed = promise;
    this.#resolveClosed = resolve;
    this.receive = { [Symbol.asyncIterator]: () => ({ next: () => this.#next() }) };
    this.#lag = new Lag(options.clock, options.readDelayMs, (message) => this.#arrive(message));
  }

  get state(): State {
    return this.#state;
  }

  /** Bytes sent by this end that the other has not read, as far as this end knows; never over the window (SI9). */
  get unackedBytes(): number {
    return this.#unackedBytes;
  }

  async send(message: Uint8Array, signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (this.#state !== "open") throw this.#closedError();
    const { windowBytes, name } = this.#options;
    if (weigh(message) > windowBytes) {
      const sentence = `a message of ${message.length} bytes does not fit into the ${windowBytes} bytes that ${name} can hold`;
      throw new FlotillaError("TOO_LARGE", sentence);
    }
    const own = message.slice();
    if (this.#senders.length === 0 && this.#hasRoomFor(own)) {
      this.#sendNow(own);
      return;
    }
    try {
      await this.#senders.wait(own, signal);
    } catch (reason) {
      this.#admitSenders(); // One that left the head of the line may have held back others that fit.
      throw reason;
    }
  }

  close(error?: FlotillaError): void {
    this.#discardUnread();
    if (this.#state === "closed") return;
    const wasOpen = this.#state === "open";
    this.#finish(error === undefined ? { kind: "ended" } : { kind: "failed", error });
    if (wasOpen) this.#options.transmit({ kind: error === undefined ? "end" : "reset" });
  }

  /** The dial worked. */
  open(): void {
    this.#state = "open";
  }

  /** Breaks this end alone: the other side is told nothing. */
  fail(error: FlotillaError): void {
    if (this.#state === "closed") return;
    this.#discardUnread();
    this.#finish({ kind: "failed", error });
  }

  /** The reader of this end has become faster or slower. */
  changeReadDelay(): void {
    this.#lag.restart();
  }

  /** A packet has come to this open end. */
  take(packet: Packet): void {
    switch (packet.kind) {
      case "message":
        this.#lag.push(packet.bytes);
        return;
      case "credit":
        this.#unackedBytes -= packet.byteCount;
        this.#admitSenders();
        return;
      case "end":
        this.#finish({ kind: "ended" });
        return;
      case "reset":
        this.fail(new FlotillaError("UNAVAILABLE", `the stream ${this.#options.name} was reset by the other side`));
        return;
      case "open":
      case "opened":
      case "refused":
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    assert(this.#readers.length === 0, `two readers on the stream ${this.#options.name}`);
    const message = this.#unread.shift();
    if (message !== undefined) return this.#hand(message);
    if (this.#ending === undefined || this.#lag.length > 0) return this.#readers.wait(undefined);
    if (this.#ending.kind === "failed") throw this.#ending.error;
    return { done: true, value: undefined };
  }

  #hand(message: Uint8Array): IteratorResult<Uint8Array> {
    if (this.#state === "open") this.#options.transmit({ kind: "credit", byteCount: weigh(message) });
    return { done: false, value: message };
  }

  #arrive(message: Uint8Array): void {
    if (this.#readers.length > 0) this.#readers.resolveFirst(this.#hand(message));
    else this.#unread.push(message);
    if (this.#ending !== undefined && this.#lag.length === 0) this.#releaseReader();
  }

  #hasRoomFor(message: Uint8Array): boolean {
    return this.#unackedBytes + weigh(message) <= this.#options.windowBytes;
  }

  #admitSenders(): void {
    for (let first = this.#senders.firstTicket; first !== undefined; first = this.#senders.firstTicket) {
      if (this.#state !== "open" || !this.#hasRoomFor(first)) return;
      this.#sendNow(first);
      this.#senders.resolveFirst();
    }
  }

  #sendNow(message: Uint8Array): void {
    this.#unackedBytes += weigh(message);
    this.#options.transmit({ kind: "message", bytes: message });
  }

  #finish(ending: StreamEnding): void {
    this.#state = "closed";
    this.#ending = ending;
    this.#senders.rejectAll(this.#closedError());
    if (this.#lag.length === 0) this.#releaseReader();
    this.#resolveClosed(ending);
  }

  #discardUnread(): void {
    this.#unread = [];
    this.#lag.clear();
    if (this.#ending !== undefined) this.#releaseReader();
  }

  #releaseReader(): void {
    if (this.#ending?.kind === "failed") this.#readers.rejectAll(this.#ending.error);
    else this.#readers.resolveAll({ done: true, value: undefined });
  }

  #closedError(): FlotillaError {
    const { name } = this.#options;
    if (this.#ending?.kind !== "failed") return new FlotillaError("UNAVAILABLE", `the stream ${name} is closed`);
    return new FlotillaError("UNAVAILABLE", `the stream ${name} is broken`, { cause: this.#ending.error });
  }
}

/** An empty message takes room too. */
function weigh(message: Uint8Array): number {
  return Math.max(1, message.length);
}
