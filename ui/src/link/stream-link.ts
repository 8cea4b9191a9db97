// SPDX-License-Identifier: Apache-2.0
// The browser's only stream to the hub and its subscriptions (PG8). Runs in the shared worker, or in a tab without one.
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
import type { HubHop, LinkUpdate, ViewRefusal, ViewRequest } from "./link.ts";

/** Environment of the link. */
export interface LinkSurroundings {
  readonly client: Client<typeof PageService>;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly random: () => number;
  /** Calls `callback` once after `ms`, unless the returned function is called before. */
  readonly setTimer: (ms: number, callback: () => void) => () => void;
}

/** One message for a subscription, with the hub's clocks. */
export interface TimedUpdate extends LinkUpdate {
  readonly position: string;
  readonly time: HubTime;
}

/** Receives a subscription's messages. */
export interface TimedSink {
  update(update: TimedUpdate): void;
  refused(refusal: ViewRefusal): void;
}

export interface LinkListener {
  hop(hop: HubHop): void;
  /** Called for every message, including heartbeats. */
  time(time: HubTime): void;
}

/** The hub sends a message every 5 s (PG13); two may be missed. */
const silenceMs = 12_000;
const lateMs = 6_000;
const silent: HopEvent = { kind: "failed", sentence: "The hub stopped responding." };

interface Entry {
  readonly id: number;
  readonly request: ViewRequest;
  readonly sink: TimedSink;
  position: string;
}

/**
 * Keeps one stream open while it runs, through failures of network and hub. A subscription resumes from its newest
 * position after every interruption (PG9).
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

  /** Starts the first attempt. */
  start(): void {
    void this.#attemptToOpen();
  }

  /** Stops; nothing is called afterwards. */
  stop(): void {
    this.#entries.clear();
    this.#cancelTimer();
    this.#attempt.abort();
  }

  get hop(): HubHop {
    return toHubHop(this.#state);
  }

  /** Adds a subscription from an earlier position or from the beginning (""). Returns its number. */
  subscribe(request: ViewRequest, sink: TimedSink, position = ""): number {
    this.#lastId += 1;
    const entry: Entry = { id: this.#lastId, request, sink, position };
    this.#entries.set(entry.id, entry);
    if (this.#streamId !== "") void this.#announce(entry);
    return entry.id;
  }

  unsubscribe(id: number): void {
    if (!this.#entries.delete(id) || this.#streamId === "") return;
    const { client } = this.#surroundings;
    // A closed stream has no subscription left to end. On a live one, updates of an unknown subscription are ignored.
    client.unsubscribe({ streamId: this.#streamId, subscriptionId: id }).catch(() => undefined);
  }

  /**
   * Tries now, replacing a hanging attempt; an attempt younger than a second is replaced when it reaches that age. A
   * stream whose heartbeat is late is ended: after sleep it is usually dead.
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
      // Replaces the silence timer of a running attempt, which would fire later.
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

  /** Ends an attempt; later calls for it are ignored. */
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

  /** The stream is open; subscribes to views added while it was being opened. */
  #begin({ streamId, pageVersion }: OpenResponse, asked: ReadonlySet<number>): void {
    this.#streamId = streamId;
    this.#step({ kind: "opened", pageVersion });
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
        // The stream is in an unexpected state; a new one starts with all subscriptions.
        this.#end(attempt, toEvent(reason));
      }
    }
  }
}

function toSubscription({ id, request, position }: Entry): Subscription {
  return create(SubscriptionSchema, { id, position, view: request });
}

function toEvent(reason: unknown): HopEvent {
  const { code, rawMessage } = ConnectError.from(reason);
  if (code === Code.Unauthenticated) return { kind: "refused", sentence: rawMessage };
  const isUnreachable = reason instanceof TypeError || (code === Code.Unknown && rawMessage === "");
  return { kind: "failed", sentence: isUnreachable ? "The hub cannot be reached." : rawMessage };
}
