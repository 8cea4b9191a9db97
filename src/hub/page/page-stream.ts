// SPDX-License-Identifier: Apache-2.0
// One browser's stream: its subscriptions and the order in which they are served.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { onAbort } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { OpenResponseSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import type { ViewReader } from "./live-view.ts";
import { heartbeatMs, maxSubscriptionCount, stepMs } from "./page-limits.ts";
import type { PageMetrics } from "./page-metrics.ts";

type Message = MessageInitShape<typeof OpenResponseSchema>;

export interface PageStreamOptions {
  readonly streamId: string;
  /** The owner's token; callers with another cannot change the stream (PG15). */
  readonly tokenId: string;
  /** Sent in the first message (PG26). */
  readonly pageVersion: string;
  readonly clock: Clock;
  readonly metrics: PageMetrics;
  /** The current step of the views. */
  readonly step: () => number;
}

/** The read of rows for a subscription's next update. */
interface Reading {
  readonly beganMs: number;
  isDone: boolean;
  failure?: unknown;
}

interface Subscription {
  readonly id: number;
  readonly reader: ViewReader;
  /** Earliest time of the next update (PG10). */
  dueMs: number;
  /** The last step that was shown. */
  step: number;
  /** Undefined before it began. */
  reading: Reading | undefined;
}

/**
 * A page's stream. Each update is created when the reader is ready, so a slow reader gets fewer updates, never outdated
 * ones, and nothing is queued (L13).
 */
export class PageStream {
  readonly #options: PageStreamOptions;
  readonly #subscriptions = new Map<number, Subscription>();
  #wake: (() => void) | undefined;

  constructor(options: PageStreamOptions) {
    this.#options = options;
  }

  get tokenId(): string {
    return this.#options.tokenId;
  }

  /** Throws OVERLOADED if another subscription would exceed the limit (PG15). Replacing one does not count. */
  assertRoom(id: number): void {
    if (this.#subscriptions.has(id) || this.#subscriptions.size < maxSubscriptionCount) return;
    const sentence = `a stream can have at most ${maxSubscriptionCount} subscriptions; end one first`;
    throw new FlotillaError("OVERLOADED", sentence);
  }

  /** Adds a subscription, replacing one with the same id. */
  subscribe(id: number, reader: ViewReader): void {
    this.unsubscribe(id);
    this.#subscriptions.set(id, { id, reader, dueMs: this.#options.clock.nowMs(), step: -1, reading: undefined });
    this.#options.metrics.subscribed(reader.view, 1);
    this.wake();
  }

  unsubscribe(id: number): void {
    const subscription = this.#subscriptions.get(id);
    if (subscription === undefined) return;
    this.#subscriptions.delete(id);
    subscription.reader.close();
    this.#options.metrics.subscribed(subscription.reader.view, -1);
  }

  close(): void {
    for (const id of this.#subscriptions.keys()) this.unsubscribe(id);
  }

  /** Wakes the stream: there may be something to send. */
  wake(): void {
    this.#wake?.();
  }

  /** The messages of the stream until the signal aborts. Each is created after the previous one was consumed. */
  async *messages(signal: AbortSignal): AsyncGenerator<Message, void, undefined> {
    const { streamId, pageVersion, clock } = this.#options;
    yield { streamId, pageVersion, ...this.#times() };
    let heardMs = clock.nowMs();
    while (!signal.aborted) {
      const message = this.#next();
      if (message !== undefined) yield { ...message, ...this.#times() };
      else if (clock.nowMs() - heardMs >= heartbeatMs) yield this.#times();
      else {
        await this.#wait(heardMs + heartbeatMs - clock.nowMs(), signal);
        continue;
      }
      heardMs = clock.nowMs();
    }
  }

  /** The update of the first due subscription with changes, which then moves to the end of the order. */
  #next(): Message | undefined {
    const { clock, metrics, step } = this.#options;
    for (const subscription of this.#subscriptions.values()) {
      const { id, reader } = subscription;
      if (subscription.step === step() || subscription.dueMs > clock.nowMs() || this.#mustWait(subscription)) continue;
      const { reading } = subscription;
      if (reading?.isDone === true) subscription.reading = undefined;
      subscription.step = step();
      try {
        if (reading?.failure !== undefined) throw reading.failure;
        const update = reader.next();
        if (update === undefined) continue;
        subscription.dueMs = clock.nowMs() + stepMs;
        this.#subscriptions.delete(id);
        this.#subscriptions.set(id, subscription);
        metrics.sent(reader.view);
        const { position, isSnapshot, bytes } = update;
        return { subscriptionId: id, position, isSnapshot, update: bytes };
      } catch (reason) {
        if (!(reason instanceof FlotillaError)) throw reason;
        this.unsubscribe(id);
        return { subscriptionId: id, refusal: { code: reason.code, message: reason.message } };
      }
    }
    return undefined;
  }

  /**
   * Begins the read of a subscription's next update. A read that is not done after a step is not waited for any longer:
   * it delays rows, not other parts of the view, other subscriptions or heartbeats.
   */
  #mustWait(subscription: Subscription): boolean {
    const nowMs = this.#options.clock.nowMs();
    const { reading } = subscription;
    if (reading !== undefined) return !reading.isDone && nowMs - reading.beganMs < stepMs;
    const read = subscription.reader.read();
    if (read === undefined) return false;
    subscription.reading = { beganMs: nowMs, isDone: false };
    void this.#await(read, subscription.reading);
    return true;
  }

  /** Never rejects. */
  async #await(read: Promise<void>, reading: Reading): Promise<void> {
    try {
      await read;
    } catch (reason) {
      reading.failure = reason;
    }
    reading.isDone = true;
    this.wake();
  }

  /** Waits until something can be sent: after `wake`, when a pending subscription is due, or for the heartbeat. */
  async #wait(quietMs: number, signal: AbortSignal): Promise<void> {
    const { clock, step } = this.#options;
    const waitMs = Array.from(this.#subscriptions.values())
      .filter(({ step: shown, reading }) => shown !== step() && (reading?.isDone ?? true))
      .reduce((least, { dueMs }) => Math.min(least, dueMs - clock.nowMs()), quietMs);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = clock.setTimer(Math.max(0, waitMs), resolve);
    const unlisten = onAbort(signal, resolve);
    await promise;
    this.#wake = undefined;
    cancel();
    unlisten();
  }

  #times(): { readonly nowMs: bigint; readonly wallMs: bigint } {
    const { clock } = this.#options;
    return { nowMs: BigInt(Math.round(clock.nowMs())), wallMs: BigInt(Math.round(clock.wallMs())) };
  }
}
