// SPDX-License-Identifier: Apache-2.0
// Drives one stream: bytes in, events to the state machine of session/hub, effects out. Whether a session is accepted
// is decided by `admit`, everything else about a session by the state machine.
import { unreachable } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { TaskGuard } from "../../base/task-guard.ts";
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { DigestAsk } from "../../session/hub/compare-digests.ts";
import { encodeAnswer, encodeAsk } from "../../session/hub/encode-answer.ts";
import { openHubSession, stepHubSession } from "../../session/hub/hub-session.ts";
import type {
  HubAnswer,
  HubSessionContext,
  HubSessionEffect,
  HubSessionEnding,
  HubSessionEvent,
  HubSessionState,
} from "../../session/hub/hub-session-types.ts";
import type { HelloFacts } from "../../session/hub/parsed-request.ts";
import type { Rejection } from "../../session/hub/session-rejections.ts";
import type { StreamEnd } from "../../session/transport.ts";
import type { LiveSession } from "./live-session.ts";
import { MessageReader } from "./message-reader.ts";
import type { SessionAttempt } from "./session-admission.ts";
import type { SessionFeed } from "./session-feed.ts";
import { SessionOutbox } from "./session-outbox.ts";

/** The decision on an attempt. `live` does the work of the accepted session. */
export type Decision =
  | {
      readonly kind: "accepted";
      readonly live: LiveSession;
      readonly accepted: Omit<Extract<HubSessionEvent, { kind: "accepted" }>, "kind" | "isPaused" | "nowMs">;
    }
  | {
      readonly kind: "rejected";
      readonly rejection: Rejection;
      readonly isProven: boolean;
      /** The stream stays open (SE12). */
      readonly isHeld?: boolean;
    };

/** The parts of the hub that a driver uses. */
export interface SessionDriverParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Counts and logs exceptions of our own code on a message. Such a bug costs only that session (L14). */
  readonly guard: TaskGuard;
  readonly hubName: string;
  readonly context: HubSessionContext;
  readonly feed: SessionFeed;
  /** Decides the attempt. Never rejects: failures become rejections. The signal aborts when the stream has ended. */
  readonly admit: (attempt: SessionAttempt, signal: AbortSignal) => Promise<Decision>;
}

/** The limit on queued messages other than flushes, which credit bounds. An agent sends a handful at a time. */
const maxWaitingCount = 1_024;

export class SessionDriver {
  readonly address: string;
  readonly #parts: SessionDriverParts;
  readonly #end: StreamEnd;
  readonly #outbox: SessionOutbox;
  readonly #reader: MessageReader;
  readonly #greeted = Promise.withResolvers<void>();
  #state: HubSessionState;
  #live: LiveSession | undefined;
  #deciding: AbortController | undefined;
  #cancelTimer: CancelTimer | undefined;
  #isProven = false;
  #lastMessageAtMs: number;
  #work: Promise<void> = Promise.resolve();
  #waitingCount = 0;
  /** The number of messages up to and including the Welcome. Later ones are counted for the agent (SE35). */
  #welcomedCount = 0;
  #renewal: Promise<void> = Promise.resolve();
  #closing: Promise<void> = Promise.resolve();
  #isFinished = false;

  constructor(parts: SessionDriverParts, end: StreamEnd, address: string) {
    const { clock, context } = parts;
    this.#parts = parts;
    this.#end = end;
    this.address = address;
    this.#reader = new MessageReader(context.limits);
    this.#outbox = new SessionOutbox(end, clock, (detail) => this.dispatch({ kind: "broken", detail }));
    this.#lastMessageAtMs = clock.nowMs();
    this.#state = openHubSession(context, clock.nowMs());
  }

  /** Resolves once the attempt is decided, or has ended before that. */
  get greeted(): Promise<void> {
    return this.#greeted.promise;
  }

  /** The monotonic time of the newest message. */
  get lastMessageAtMs(): number {
    return this.#lastMessageAtMs;
  }

  get isEnded(): boolean {
    return this.#state.kind === "ended";
  }

  /** Reads until the stream or session has ended and all its work is done. Never rejects. */
  async run(): Promise<void> {
    this.#watchDeadline();
    let detail = "the stream was closed without a goodbye";
    try {
      for await (const bytes of this.#end.receive) {
        if (!this.#guarded("message of a session", () => this.#receive(bytes))) {
          detail = "the hub failed on a message of the agent; its log has the reason";
          break;
        }
        if (this.isEnded) break;
      }
    } catch (reason) {
      detail = reason instanceof FlotillaError ? reason.message : "the stream broke";
    }
    this.#guarded("end of a session", () => this.dispatch({ kind: "broken", detail }));
    // An exception in the step that ended the session has skipped its `end` effect.
    if (!this.#isFinished) this.#finish({ kind: "lost", reason: "streamBroken", detail }, false);
    await this.#work;
    await this.#renewal;
    await this.#closing;
  }

  /** Passes one event to the state machine and performs its effects. Does nothing after the end. */
  dispatch(event: HubSessionEvent): void {
    const { state, effects } = stepHubSession(this.#state, event, this.#parts.context);
    this.#state = state;
    for (const effect of effects) this.#perform(effect, effects);
    if (!this.isEnded) this.#watchDeadline();
  }

  /** Requests the digests of the agent's kinds, after its earlier messages are applied. */
  askForDigests(): void {
    this.#enqueueLive(async () => this.#sendAsks([{ kind: "kinds" }]));
  }

  #guarded(task: string, work: () => void): boolean {
    return this.#parts.guard.run(task, work, { cluster: this.#clusterId(), peer: this.address });
  }

  #receive(bytes: Uint8Array): void {
    const nowMs = this.#parts.clock.nowMs();
    this.#lastMessageAtMs = nowMs;
    this.#live?.noteMessage(bytes.length, nowMs);
    if (this.#live?.isRenewalDue(nowMs)) this.#renewal = this.#renew(this.#live, nowMs);
    const message = this.#reader.read(bytes, this.#state.kind === "live");
    if (message === undefined) this.dispatch({ kind: "chunk", nowMs });
    else this.dispatch({ kind: "message", message, nowMs });
  }

  async #renew(live: LiveSession, nowMs: number): Promise<void> {
    const event = await live.renew(nowMs);
    if (event !== undefined) this.#guarded("renewal of a claim", () => this.dispatch(event));
  }

  #perform(effect: HubSessionEffect, step: readonly HubSessionEffect[]): void {
    switch (effect.kind) {
      case "send":
        this.#send(effect.answer);
        return;
      case "decide":
        this.#enqueue(() => this.#decide({ ...effect, address: this.address }));
        return;
      case "ingest":
        this.#live?.expect(effect.flush);
        this.#enqueueLive(async (live) => this.dispatch(await live.ingest(effect.flush)));
        return;
      case "statuses":
        this.#enqueueLive(async (live) => this.#sendAsks(live.report(effect.kinds)));
        return;
      case "compare":
        this.#enqueueLive(async (live) => {
          const { asks, refusal } = await live.compare(effect.digests);
          if (refusal !== undefined) this.dispatch({ kind: "refused", refusal });
          this.#sendAsks(asks);
        });
        return;
      case "heartbeat":
        this.#live?.heartbeat(effect.heartbeat);
        return;
      case "tunnelFailures":
        this.#live?.tunnelsFailed(effect.failures);
        return;
      case "accessReport":
        this.#live?.accessReported(effect.report);
        return;
      case "accessVerdicts":
        this.#live?.accessReviewed(effect.answer);
        return;
      case "hintAnswers":
        this.#live?.hintsAnswered(effect.answers);
        return;
      case "countRefusal":
        this.#parts.feed.publish({ kind: "messageRefused", refusal: effect.refusal, ...this.#origin() });
        return;
      case "countUnknown":
        this.#parts.feed.publish({ kind: "messageUnknown", ...this.#origin() });
        return;
      case "observeRejection":
        this.#publishRejection(effect.hello, effect.rejection);
        return;
      case "end":
        this.#finish(
          effect.ending,
          step.some(({ kind }) => kind === "send"),
        );
        return;
      default:
        unreachable(effect, "effect");
    }
  }

  #send(answer: HubAnswer): void {
    const { hubName, context } = this.#parts;
    const messageCount = this.#outbox.sentCount - this.#welcomedCount;
    this.#outbox.send(encodeAnswer(answer, { hubName, limits: context.limits, messageCount }));
    if (answer.kind === "welcome") this.#welcomedCount = this.#outbox.sentCount;
  }

  #sendAsks(asks: readonly DigestAsk[]): void {
    for (const ask of asks) this.#outbox.send(encodeAsk(ask));
  }

  #publishRejection(hello: HelloFacts, rejection: Rejection): void {
    const { feed, clock } = this.#parts;
    const { clusterId: cluster, shard, agentId, clusterUid } = hello;
    const facts = { cluster, shard, agentId, clusterUid, address: this.address, isProven: this.#isProven };
    feed.publish({ kind: "rejected", attempt: { ...facts, ...rejection }, nowMs: clock.nowMs() });
  }

  #origin(): { readonly cluster: string; readonly address: string; readonly nowMs: number } {
    return { cluster: this.#clusterId(), address: this.address, nowMs: this.#parts.clock.nowMs() };
  }

  /** Empty until the session is proven: anyone can name a cluster, and names become metric labels. */
  #clusterId(): string {
    return this.#live?.session.cluster ?? "";
  }

  /** Runs work in order. Work still queued when the session ends is skipped. */
  #enqueue(work: () => Promise<void>): void {
    this.#waitingCount += 1;
    if (this.#waitingCount > maxWaitingCount) {
      const detail = `more than ${maxWaitingCount} messages are queued`;
      this.dispatch({ kind: "refused", refusal: { reason: "overLimit", detail } });
    }
    this.#work = this.#work.then(async () => {
      this.#waitingCount -= 1;
      try {
        if (!this.isEnded) await work();
      } catch (reason) {
        this.#parts.log.warn(
          "a message of a session could not be applied",
          { cluster: this.#clusterId(), peer: this.address },
          reason,
        );
        this.dispatch({
          kind: "cut",
          reason: "storeFailed",
          detail: "the hub could not apply a message; its log has the reason",
        });
      }
    });
  }

  #enqueueLive(work: (live: LiveSession) => Promise<void>): void {
    this.#enqueue(async () => {
      if (this.#live !== undefined) await work(this.#live);
    });
  }

  async #decide(attempt: SessionAttempt): Promise<void> {
    this.#deciding = new AbortController();
    const decision = await this.#parts.admit(attempt, this.#deciding.signal);
    this.#deciding = undefined;
    this.#greeted.resolve();
    if (decision.kind === "rejected") {
      const { rejection, isProven, isHeld = false } = decision;
      this.#isProven = isProven;
      const heldUntilMs = this.#parts.clock.nowMs() + rejection.retryAfterMs;
      this.dispatch({ kind: "rejected", rejection, ...(isHeld ? { heldUntilMs } : {}) });
      return;
    }
    if (this.isEnded) {
      decision.live.finish({ kind: "lost", reason: "streamBroken", detail: "the stream ended before the Welcome" });
      return;
    }
    this.#live = decision.live;
    const { accepted, live } = decision;
    this.dispatch({ kind: "accepted", ...accepted, isPaused: live.isPaused, nowMs: this.#parts.clock.nowMs() });
  }

  /** Closes the stream after a final message, and aborts it if there is none. */
  #finish(ending: HubSessionEnding, hasFinalMessage: boolean): void {
    this.#isFinished = true;
    this.#greeted.resolve();
    this.#deciding?.abort(new Error("the stream has ended"));
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (ending.kind !== "never") this.#live?.finish(ending);
    this.#live = undefined;
    if (hasFinalMessage || ending.kind !== "lost") this.#closing = this.#outbox.close();
    else this.#outbox.break(new FlotillaError("UNAVAILABLE", ending.detail));
  }

  /** A timer that is set is not moved: when it fires too early, the state machine sees that and a new one is set. */
  #watchDeadline(): void {
    if (this.#cancelTimer !== undefined || !("deadlineAtMs" in this.#state)) return;
    const { clock } = this.#parts;
    this.#cancelTimer = clock.setTimer(Math.max(0, this.#state.deadlineAtMs - clock.nowMs()), () => {
      this.#cancelTimer = undefined;
      this.dispatch({ kind: "due", nowMs: clock.nowMs() });
    });
  }
}
