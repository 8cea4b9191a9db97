// SPDX-License-Identifier: Apache-2.0
// The browser's one stream to the hub and the subscriptions it carries (PG8). Runs in the shared worker, or in a tab where there is none.
import { create } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import {
  type OpenResponse,
  type PageService,
  type Subscription,
  SubscriptionSchema,
} from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { HubTime } from "../time/hub-clock.ts";
import { beginsAttempt, firstHopState, type HopEvent, type HopState, stepHop, toHubHop } from "./hop-state.ts";
import type { HubHop, ViewRefusal, ViewUpdate, ViewWish } from "./link.ts";

/** What the link needs of the machine. */
export interface LinkSurroundings {
  readonly client: Client<typeof PageService>;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly random: () => number;
  /** Calls back once after that time unless the returned function is called before. */
  readonly setTimer: (ms: number, callback: () => void) => () => void;
}

/** One message for a subscription, with what the hub's clocks showed. */
export interface TimedUpdate extends ViewUpdate {
  readonly position: string;
  readonly time: HubTime;
}

/** Where a subscription's messages go. */
export interface TimedSink {
  update(update: TimedUpdate): void;
  refused(refusal: ViewRefusal): void;
}

export interface LinkListener {
  hop(hop: HubHop): void;
  /** Every message, heartbeats too. */
  time(time: HubTime): void;
}

/** The hub sends something every 5 s (PG13); two of these may be late. */
const silenceMs = 12_000;
const lateMs = 6_000;
const silent: HopEvent = { kind: "failed", sentence: "The hub has gone silent." };

interface Entry {
  readonly id: number;
  readonly wish: ViewWish;
  readonly sink: TimedSink;
  position: string;
}

/**
 * Keeps one stream open for as long as it runs, whatever happens to the network and the hub. A subscription begins when it is added and
 * goes on from its newest position after every interruption (PG9).
 */
export class StreamLink {
  readonly #surroundings: LinkSurroundings;
  readonly #listener: LinkListener;
  readonly #entries = new Map<number, Entry>();
  #lastId = 0;
  #state: HopState;
  #streamId = "";
  #attempt = new AbortController();
  #heardMs = 0;
  #cancelTimer = (): void => undefined;

  constructor(surroundings: LinkSurroundings, listener: LinkListener) {
    this.#surroundings = surroundings;
    this.#listener = listener;
    this.#state = firstHopState(surroundings.nowMs());
  }

  /** Makes the first attempt. */
  start(): void {
    void this.#attemptToOpen();
  }

  /** Lets go of everything; nothing is called afterwards. */
  stop(): void {
    this.#entries.clear();
    this.#cancelTimer();
    this.#attempt.abort();
  }

  get hop(): HubHop {
    return toHubHop(this.#state);
  }

  /** Adds a subscription, from a position that was reached before or from the beginning (""). Returns its number. */
  subscribe(wish: ViewWish, sink: TimedSink, position = ""): number {
    this.#lastId += 1;
    const entry: Entry = { id: this.#lastId, wish, sink, position };
    this.#entries.set(entry.id, entry);
    if (this.#streamId !== "") void this.#announce(entry);
    return entry.id;
  }

  unsubscribe(id: number): void {
    if (!this.#entries.delete(id) || this.#streamId === "") return;
    const { client } = this.#surroundings;
    // A stream that is gone has no subscription left to end; one that lives is told again by the refusal of its next update.
    client.unsubscribe({ streamId: this.#streamId, subscriptionId: id }).catch(() => undefined);
  }

  /**
   * Tries now, in place of an attempt that hangs; of an attempt that is younger than a second, when it is that old. A stream whose heartbeat is late is not waited
   * for any longer: a machine that slept finds it dead.
   */
  wake(): void {
    const isLate = this.#surroundings.nowMs() - this.#heardMs > lateMs;
    if (isLate && this.#state.kind === "open") this.#end(this.#attempt, silent);
    this.#step({ kind: "wake" });
  }

  #step(event: HopEvent): void {
    const { nowMs, random } = this.#surroundings;
    const before = this.#state;
    const state = stepHop(before, event, { nowMs: nowMs(), random });
    if (state === before) return;
    this.#state = state;
    this.#listener.hop(toHubHop(state));
    if (beginsAttempt(before, state)) void this.#attemptToOpen();
    else if ("nextAttemptMs" in state && state.nextAttemptMs !== undefined) {
      // Of an attempt under way this takes the place of the timer of its silence, which would come later.
      this.#setTimer(state.nextAttemptMs - nowMs(), () => this.#step({ kind: "due" }));
    }
  }

  async #attemptToOpen(): Promise<void> {
    this.#attempt.abort();
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#expectMessage(attempt);
    try {
      const subscriptions = [...this.#entries.values()].map(toSubscription);
      for await (const message of this.#surroundings.client.open({ subscriptions }, { signal: attempt.signal })) {
        if (attempt.signal.aborted) return;
        this.#expectMessage(attempt);
        this.#take(message, new Set(subscriptions.map(({ id }) => id)));
      }
      this.#end(attempt, { kind: "failed", sentence: "The hub ended the stream." });
    } catch (reason) {
      this.#end(attempt, toEvent(reason));
    }
  }

  /** Ends an attempt, once. */
  #end(attempt: AbortController, event: HopEvent): void {
    if (attempt.signal.aborted) return;
    attempt.abort();
    this.#cancelTimer();
    this.#streamId = "";
    this.#step(event);
  }

  #expectMessage(attempt: AbortController): void {
    this.#heardMs = this.#surroundings.nowMs();
    this.#setTimer(silenceMs, () => this.#end(attempt, silent));
  }

  #setTimer(ms: number, callback: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#surroundings.setTimer(ms, callback);
  }

  #take(message: OpenResponse, asked: ReadonlySet<number>): void {
    const time = { nowMs: Number(message.nowMs), wallMs: Number(message.wallMs) };
    this.#listener.time(time);
    if (message.streamId !== "") this.#begin(message, asked);
    if (message.subscriptionId === 0) return;
    const entry = this.#entries.get(message.subscriptionId);
    if (entry === undefined) return;
    if (message.refusal !== undefined) {
      this.#entries.delete(entry.id);
      entry.sink.refused({ code: message.refusal.code, message: message.refusal.message });
      return;
    }
    entry.position = message.position;
    const { position, update: bytes, isSnapshot } = message;
    entry.sink.update({ bytes, isSnapshot, position, time });
  }

  /** The stream lives under this name; what was added while it was being opened is asked for now. */
  #begin({ streamId, pageVersion }: OpenResponse, asked: ReadonlySet<number>): void {
    this.#streamId = streamId;
    this.#step({ kind: "heard", pageVersion });
    for (const entry of this.#entries.values()) if (!asked.has(entry.id)) void this.#announce(entry);
  }

  async #announce(entry: Entry): Promise<void> {
    const [attempt, streamId] = [this.#attempt, this.#streamId];
    try {
      await this.#surroundings.client.subscribe({ streamId, subscription: toSubscription(entry) });
    } catch (reason) {
      if (attempt.signal.aborted || !this.#entries.has(entry.id)) return;
      const { code, rawMessage } = ConnectError.from(reason);
      if (code === Code.ResourceExhausted) {
        this.#entries.delete(entry.id);
        entry.sink.refused({ code: "RESOURCE_EXHAUSTED", message: rawMessage });
      } else {
        // The stream is not what we take it for; another one begins with every subscription.
        this.#end(attempt, toEvent(reason));
      }
    }
  }
}

function toSubscription({ id, wish, position }: Entry): Subscription {
  return create(SubscriptionSchema, { id, position, view: wish });
}

function toEvent(reason: unknown): HopEvent {
  const { code, rawMessage } = ConnectError.from(reason);
  if (code === Code.Unauthenticated) return { kind: "refused", sentence: rawMessage };
  const isUnreachable = reason instanceof TypeError || (code === Code.Unknown && rawMessage === "");
  return { kind: "failed", sentence: isUnreachable ? "The hub cannot be reached." : rawMessage };
}
