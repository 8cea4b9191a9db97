// SPDX-License-Identifier: Apache-2.0
import { constants, type Http2ServerResponse } from "node:http2";
import type { CancelTimer, Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import { guardListener, type TaskGuard } from "../base/task-guard.ts";
import { type HttpRequest, type HttpResponse, headerOf } from "./http-types.ts";
import { otherMethod, type RpcMetrics } from "./rpc-metrics.ts";

/** How long one request may keep us waiting, at each of its ends. */
export interface ExchangeLimits {
  /** From the headers until a body of one message is there. */
  readonly bodyTimeoutMs: number;
  /** From the end of an answer until the peer has taken it. */
  readonly answerTimeoutMs: number;
}

export const defaultExchangeLimits: ExchangeLimits = {
  bodyTimeoutMs: 30_000, // 4 MB at 1.1 Mbit/s
  answerTimeoutMs: 30_000, // the same in the other direction
};

/** 1 s: how long we go on taking a body that nobody wants, so that the peer reads our answer instead of a reset. */
const lingerMs = 1_000;

/** What an exchange works with. */
export interface ExchangeOptions {
  readonly requestId: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: RpcMetrics;
  readonly limits: ExchangeLimits;
  /** Runs what the end of the answer begins: counts and the log line (L14). */
  readonly guard: TaskGuard;
  /** Told once, when the sender has proven who it is. */
  readonly noteAuthenticated: () => void;
}

/** One request and its answer: what its log line will say, and the deadlines of both directions. */
export class Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly requestId: string;
  /** Carries the request id in every line. */
  readonly log: Logger;
  /** The label of metrics and the `method` of the log line. */
  method = otherMethod;
  /** Unknown until somebody judged the request; `canceled` if the peer left before that. */
  code: string | undefined;
  user: string | undefined;
  /** True for probes, whose lines would drown the others. */
  isQuiet = false;
  requestBytes = 0;
  responseBytes = 0;
  /** True once a method's gate has looked at it; before that only HTTP has. */
  isJudged = false;
  readonly #options: ExchangeOptions;
  readonly #startedMs: number;
  readonly #cancelTimers: CancelTimer[] = [];
  #state: "open" | "ending" | "closed" = "open";
  #isPeerGone = false;
  #isAuthenticated = false;

  constructor(request: HttpRequest, response: HttpResponse, options: ExchangeOptions) {
    this.request = request;
    this.response = response;
    this.requestId = options.requestId;
    this.log = options.log.with({ requestId: options.requestId });
    this.#options = options;
    this.#startedMs = options.clock.nowMs();
    // A connection that breaks raises an error on either side or on none, but always closes the answer.
    const ignore = (): void => undefined;
    request.on("error", ignore);
    response.on("error", ignore);
    response.once(
      "close",
      guardListener(options.guard, "end of a request", () => this.#finish()),
    );
  }

  /** The path without the query. */
  get path(): string {
    return pathOf(this.request.url);
  }

  /** True if the peer left before its answer was complete. */
  get isPeerGone(): boolean {
    return this.#isPeerGone;
  }

  /** True once the answer has closed, sent or not: nothing more reaches the peer. */
  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** True once the sender has proven who it is, by a credential in the headers or inside of its stream. */
  get isAuthenticated(): boolean {
    return this.#isAuthenticated;
  }

  noteAuthenticated(): void {
    if (this.#isAuthenticated) return;
    this.#isAuthenticated = true;
    this.#options.noteAuthenticated();
  }

  notePeerGone(): void {
    this.#isPeerGone = true;
  }

  header(name: string): string | undefined {
    return headerOf(this.request, name);
  }

  /** Calls back when a body of one message is late. The caller answers; what the peer still sends is cut after the answer. */
  expectBody(onLate: () => void): CancelTimer {
    const { clock, limits, metrics } = this.#options;
    if (this.#state === "closed") return () => undefined;
    const cancel = clock.setTimer(limits.bodyTimeoutMs, () => {
      metrics.connectionCut("body");
      onLate();
    });
    this.#cancelTimers.push(cancel);
    return cancel;
  }

  get bodyTimeoutMs(): number {
    return this.#options.limits.bodyTimeoutMs;
  }

  /** To be called when the last byte of the answer is written, or the answer is to end: the peer must take it and stop sending, in time. */
  expectEnd(): void {
    if (this.#state !== "open") return;
    this.#state = "ending";
    const { clock, limits, metrics } = this.#options;
    if (!isHttp2(this.response)) this.request.resume(); // HTTP/2 has flow control: what nobody reads is not sent
    this.#cancelTimers.push(
      clock.setTimer(lingerMs, () => this.#stopBody()),
      clock.setTimer(limits.answerTimeoutMs, () => {
        metrics.connectionCut("answer");
        this.#destroy();
      }),
    );
  }

  /** Ends the sending of a body that is still coming. */
  #stopBody(): void {
    const { request, response } = this;
    if (isHttp2(response)) {
      if (!request.readableEnded && response.writableEnded) response.stream.close(constants.NGHTTP2_NO_ERROR);
    } else if (!request.complete) {
      request.socket.destroy();
    }
  }

  #destroy(): void {
    if (isHttp2(this.response)) this.response.stream.close(constants.NGHTTP2_CANCEL);
    else this.request.socket.destroy();
  }

  #finish(): void {
    this.#state = "closed";
    const { socket, complete } = this.request;
    if (isHttp2(this.response) || complete || socket.destroyed) this.#cancelAll();
    else this.#cancelWhenBodyEnds();
    const { metrics, clock } = this.#options;
    const call = { method: this.method, code: this.code ?? "canceled", tookMs: clock.nowMs() - this.#startedMs };
    metrics.callFinished(call);
    const fields = {
      ...call,
      tookMs: Math.round(call.tookMs * 1_000) / 1_000,
      status: this.response.statusCode,
      user: this.user,
      requestBytes: this.requestBytes,
      responseBytes: this.responseBytes,
    };
    if (this.isQuiet) this.log.debug("request served", fields);
    else this.log.info("request served", fields);
  }

  /** On HTTP/1.1 the answer closes while its connection still takes the body; that deadline stays until either ends. */
  #cancelWhenBodyEnds(): void {
    const { request } = this;
    const { socket } = request;
    const onEnd = (): void => {
      request.off("close", onEnd);
      socket.off("close", onEnd);
      this.#cancelAll();
    };
    request.once("close", onEnd);
    socket.once("close", onEnd);
  }

  #cancelAll(): void {
    for (const cancel of this.#cancelTimers.splice(0)) cancel();
  }
}

function isHttp2(response: HttpResponse): response is Http2ServerResponse {
  return "stream" in response;
}

/** The path of a request's URL, without the query. */
export function pathOf(url = ""): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}
