// SPDX-License-Identifier: Apache-2.0
// Runs the state machine of one session over one stream, with three loops: one reads, one writes, one builds flushes.
// Only the writing loop sends, one message at a time. Reading never waits for it.

import { onAbort } from "../../base/abort.ts";
import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import { WakeUp } from "../../base/queues/wake-up.ts";
import type { CancelTimer } from "../../base/time/clock.ts";
import { beginSession, stepSession, wakeAtMs } from "../../session/agent/agent-session.ts";
import { queueRequestedRows } from "../../session/agent/answer-digests.ts";
import type { FlushPace } from "../../session/agent/flush-pace.ts";
import type { Outbox } from "../../session/agent/outbox.ts";
import { parseResponse } from "../../session/agent/parse-response.ts";
import { SendQueue } from "../../session/agent/send-queue.ts";
import type {
  AgentSessionFacts,
  Intent,
  SessionEffect,
  SessionEnding,
  SessionEvent,
} from "../../session/agent/session-event.ts";
import type { AgentSession, AgentSessionStep } from "../../session/agent/session-state.ts";
import { proofBytes, type SessionIdentity } from "../../session/proof.ts";
import type { StreamEnd } from "../../session/transport.ts";
import type { TunnelOffer } from "../../session/tunnel/tunnel.ts";
import { encodeFlushRequest } from "./build-flush.ts";
import { FlushBuilder } from "./flush-builder.ts";
import { KindAnnouncements } from "./kind-announcements.ts";
import { KindStatusLog } from "./kind-status-log.ts";
import {
  encodeRequest,
  makeAnnouncement,
  makeRequest,
  type RequestMessage,
  type RequestSources,
  toFrames,
} from "./make-request.ts";
import type { UplinkMetrics } from "./uplink-metrics.ts";
import type { UplinkOptions } from "./uplink-options.ts";

/** What a session is given: the settings, and the state that it shares with earlier and later sessions. */
export interface SessionRunOptions {
  readonly options: UplinkOptions;
  readonly outbox: Outbox;
  readonly identity: SessionIdentity;
  readonly pace: FlushPace;
  readonly metrics: UplinkMetrics;
  /** Called at each change of state. */
  readonly onState: (session: AgentSession) => void;
}

/** The outcome of a session. */
export interface SessionResult {
  readonly ending: SessionEnding;
  readonly pace: FlushPace;
}

/** Runs one session until it ends and resolves with its ending; the stream is closed then. Throws only for a bug. */
export async function runSession(end: StreamEnd, run: SessionRunOptions, signal: AbortSignal): Promise<SessionResult> {
  return new SessionRun(end, run).run(signal);
}

class SessionRun {
  readonly #end: StreamEnd;
  readonly #run: SessionRunOptions;
  readonly #sources: RequestSources;
  readonly #sendQueue = new SendQueue();
  readonly #writerWakeUp = new WakeUp();
  readonly #flushes: FlushBuilder;
  readonly #events: SessionEvent[] = [];
  readonly #signings: Promise<void>[] = [];
  #isStepping = false;
  #sentCount = 0;
  #timer: { readonly atMs: number; readonly cancel: CancelTimer } | undefined;
  #bug: unknown;
  /** From Welcome; before it only short messages are sent. */
  #limits = { maxMessageBytes: Number.POSITIVE_INFINITY, maxJoinedBytes: Number.POSITIVE_INFINITY };
  #session: AgentSession;

  constructor(end: StreamEnd, run: SessionRunOptions) {
    const { options, outbox, identity } = run;
    this.#end = end;
    this.#run = run;
    this.#sources = {
      options,
      outbox,
      identity,
      announcements: new KindAnnouncements(options.rows),
      statuses: new KindStatusLog(options.kindReports, options.rows),
      sentCount: () => this.#sentCount,
    };
    this.#flushes = new FlushBuilder({
      rows: options.rows,
      outbox,
      codec: options.codec,
      hasher: options.hasher,
      clock: options.clock,
      limits: () => this.#limits,
      onBuilt: (built) => this.#dispatch({ kind: "flushBuilt", ...built }),
    });
    // Only the state: the effects of the beginning are performed by `run`.
    this.#session = beginSession(run.pace, this.#facts()).session;
  }

  async run(signal: AbortSignal): Promise<SessionResult> {
    const { outbox, options } = this.#run;
    outbox.onChange = () => {
      if (outbox.hasCompleted) this.#dispatch({ kind: "listCompleted" });
      this.#dispatch({ kind: "rowsChanged" });
    };
    const unsubscribe = options.kindReports.subscribe(() => this.#dispatch({ kind: "statusChanged" }));
    const unfollow = options.onApiServerVerdict?.(() => this.#dispatch({ kind: "apiServerChanged" }));
    const unreport = options.access?.subscribe(() => this.#dispatch({ kind: "accessChecked" }));
    this.#run.onState(this.#session);
    this.#take(beginSession(this.#run.pace, this.#facts()));
    const unlisten = onAbort(signal, () => this.#dispatch({ kind: "leave", reason: "the agent stops" }));
    try {
      await Promise.all([
        this.#guard(this.#read()),
        this.#guard(this.#write()),
        this.#guard(this.#flushes.run(() => this.#isEnded)),
      ]);
      await Promise.all(this.#signings);
    } finally {
      unlisten();
      unsubscribe();
      unfollow?.();
      unreport?.();
      outbox.onChange = () => undefined;
      outbox.creditBytes = 0;
      this.#timer?.cancel();
      this.#flushes.discard();
    }
    if (this.#bug !== undefined) throw this.#bug;
    return { ending: this.#ending(), pace: this.#session.pace };
  }

  #ending(): SessionEnding {
    if (this.#session.kind === "ended") return this.#session.ending;
    return { kind: "lost", error: new FlotillaError("INTERNAL", "the loops of a session ended before the session") };
  }

  get #isEnded(): boolean {
    return this.#session.kind === "ended";
  }

  #facts(): AgentSessionFacts {
    const { outbox, options } = this.#run;
    return {
      nowMs: options.clock.nowMs(),
      lastSeq: outbox.lastSeq,
      changeCount: outbox.changeCount,
      hasWaiting: outbox.hasWaiting,
      hasWaitingGrants: outbox.hasWaitingGrants,
      hasCredit: outbox.canSend(1),
    };
  }

  /** A failed loop ends the session. A bug is rethrown after the session has ended. */
  async #guard(loop: Promise<void>): Promise<void> {
    try {
      await loop;
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) this.#bug ??= reason;
      this.#dispatch({ kind: "streamEnded", error: toFlotillaError(reason) });
    }
  }

  /** Handles events one after another, including those that an effect dispatches. */
  #dispatch(event: SessionEvent): void {
    this.#events.push(event);
    if (this.#isStepping) return;
    this.#isStepping = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift())
        this.#take(stepSession(this.#session, next, this.#facts(), this.#run.options.session));
    } finally {
      this.#isStepping = false; // a bug goes up to the loop that met it, which ends the session
    }
  }

  #take({ session, effects }: AgentSessionStep): void {
    const before = this.#session;
    this.#session = session;
    if (session.kind === "live") this.#limits = session;
    if (before.kind !== session.kind) this.#run.onState(session);
    for (const effect of effects) this.#perform(effect);
    this.#arm();
  }

  #arm(): void {
    const { clock, session: settings } = this.#run.options;
    const atMs = wakeAtMs(this.#session, this.#facts(), settings);
    if (atMs === this.#timer?.atMs) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (atMs === undefined) return;
    const cancel = clock.setTimer(Math.max(0, atMs - clock.nowMs()), () => {
      this.#timer = undefined;
      this.#dispatch({ kind: "tick" });
    });
    this.#timer = { atMs, cancel };
  }

  #perform(effect: SessionEffect): void {
    const { outbox, options, identity, metrics } = this.#run;
    switch (effect.kind) {
      case "send":
        this.#sendQueue.add(effect.intent);
        this.#writerWakeUp.wake();
        return;
      case "sign":
        this.#signings.push(this.#guard(this.#sign(effect.hubName, effect.nonce)));
        return;
      case "resume": {
        const durable = { incarnation: effect.durableIncarnation, seq: effect.durableSeq };
        // Must precede every message about a kind in this session.
        if (outbox.isOvertaken(durable, identity.incarnation)) options.relist?.();
        const isKnown = effect.durableIncarnation === identity.incarnation;
        this.#dispatch({ kind: "resumed", outcome: outbox.resume(isKnown ? effect.durableSeq : undefined) });
        return;
      }
      case "setCredit":
        outbox.creditBytes = effect.byteCount;
        this.#outboxMoved();
        return;
      case "acknowledge":
        outbox.acknowledge(effect.seq);
        this.#outboxMoved();
        return;
      case "need":
        if (!queueRequestedRows(options.rows, outbox, effect.need))
          options.log.debug("the hub requested rows of a kind that is not complete", {
            resource: effect.need.resource,
          });
        this.#outboxMoved();
        return;
      case "buildFlush":
        this.#flushes.request();
        return;
      case "configure":
        options.onConfig(effect.config);
        return;
      case "noteHeld":
        options.noteHeld?.(effect.resources);
        return;
      case "probeApiServer":
        options.probeApiServer?.();
        return;
      case "openTunnel":
        this.#openTunnel(effect.offer);
        return;
      case "reviewAccess":
        // An answer after the end of the session is dropped.
        options.access?.answer(effect.order, (answer) => this.#dispatch({ kind: "accessReviewed", answer }));
        return;
      case "takeHint":
        options.takeHint?.(effect.hint, (answer) => this.#dispatch({ kind: "hintAnswered", answer }));
        return;
      case "countUnknown":
        metrics.unknownMessages.add({});
        return;
      case "end":
        this.#close(effect.ending);
        return;
    }
  }

  /** A tunnel may outlast its session. Failures reported after the session ends are dropped. */
  #openTunnel(offer: TunnelOffer): void {
    const { tunnelId } = offer;
    const reportFailure = (error: FlotillaError): void =>
      this.#dispatch({ kind: "tunnelFailed", failure: { tunnelId, error } });
    this.#run.options.openTunnel?.(offer, reportFailure);
  }

  /** Credit or waiting rows may have changed. */
  #outboxMoved(): void {
    this.#writerWakeUp.wake();
    this.#dispatch({ kind: "rowsChanged" });
  }

  #close(ending: SessionEnding): void {
    if (ending.kind === "lost") this.#end.close(ending.error);
    else this.#end.close();
    this.#writerWakeUp.wake();
    this.#flushes.wake();
  }

  async #sign(hubName: string, nonce: Uint8Array): Promise<void> {
    const { options, identity } = this.#run;
    const signature = await options.signer.sign(proofBytes(identity, hubName, nonce));
    this.#dispatch({ kind: "signed", signature });
  }

  async #read(): Promise<void> {
    for await (const bytes of this.#end.receive) {
      if (this.#isEnded) return;
      this.#dispatch({ kind: "message", message: parseResponse(bytes) });
    }
    const error = new FlotillaError("UNAVAILABLE", "the hub closed the stream");
    this.#dispatch({ kind: "streamEnded", error, isInOrder: true });
  }

  async #write(): Promise<void> {
    while (!this.#isEnded) {
      const intent = this.#sendQueue.take(() => {
        const { built } = this.#flushes;
        return built !== undefined && this.#run.outbox.canSend(built.byteCount);
      });
      if (intent === undefined) await this.#writerWakeUp.wait();
      else await this.#sendNext(intent);
    }
  }

  /** Names all new kinds before the intent's message, including kinds added while others were being named (SE56). */
  async #sendNext(intent: Intent): Promise<void> {
    for (let names = this.#announcement(); names !== undefined; names = this.#announcement())
      await this.#sendMessage(names);
    if (intent.kind === "flush") await this.#sendFlush();
    else await this.#send(intent);
  }

  #announcement(): RequestMessage | undefined {
    return this.#session.kind === "live" ? makeAnnouncement(this.#sources) : undefined;
  }

  async #send(intent: Exclude<Intent, { kind: "flush" }>): Promise<void> {
    const message = makeRequest(intent, this.#sources);
    if (message === undefined) return;
    if (intent.kind === "heartbeat") this.#run.metrics.waitingRows.set({}, this.#run.outbox.waitingCount);
    await this.#sendMessage(message);
    if (intent.kind === "goodbye") this.#dispatch({ kind: "sent", what: "goodbye" });
  }

  async #sendMessage(message: RequestMessage): Promise<void> {
    const { lastSeq } = this.#run.outbox;
    await this.#sendFrames(toFrames(encodeRequest(message, lastSeq), lastSeq, this.#limits));
  }

  async #sendFlush(): Promise<void> {
    const { outbox, options, metrics } = this.#run;
    const flush = this.#flushes.take();
    if (flush === undefined) return;
    const { entries, sinceMs } = flush.plan;
    const before = outbox.lastSeq;
    const seq = outbox.send(entries, flush.byteCount, sinceMs);
    const message = encodeFlushRequest(flush.bytes, seq, options.clock.nowMs() - sinceMs);
    metrics.flushes.add({});
    metrics.flushBytes.add({}, message.length);
    await this.#sendFrames(toFrames(message, before, this.#limits));
    this.#dispatch({ kind: "sent", what: "flush" });
  }

  async #sendFrames(frames: readonly Uint8Array[]): Promise<void> {
    for (const frame of frames) {
      if (this.#session.kind === "live") this.#sentCount += 1;
      await this.#end.send(frame);
      if (frames.length > 1) this.#dispatch({ kind: "sent", what: "part" });
    }
  }
}
