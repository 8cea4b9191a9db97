// SPDX-License-Identifier: Apache-2.0
// Answers of routes that come piece by piece: when a piece is asked for, and what ends them.
import { constants } from "node:http2";
import { abortReason, isCancellation } from "../base/abort.ts";
import { FlotillaError } from "../base/error.ts";
import { errorCodes } from "../base/error-codes.ts";
import { tokenEnded } from "./authenticate.ts";
import type { Caller } from "./call-context.ts";
import { hubCloses } from "./call-interceptor.ts";
import type { Exchange } from "./exchange.ts";
import type { HttpResponse } from "./http-types.ts";
import type { StreamAnswer } from "./route.ts";
import type { RpcMetrics } from "./rpc-metrics.ts";
import { cutStream, linkSignals, type SignalLink, untilAborted } from "./stream-cut.ts";
import type { StreamLimit } from "./stream-limit.ts";

export interface StreamAnswerOptions {
  /** Undefined on public routes, whose streams no token ends. */
  readonly caller: Caller | undefined;
  readonly closing: AbortSignal;
  readonly metrics: RpcMetrics;
  readonly streams: StreamLimit;
}

/**
 * Sends a stream and resolves when it is over. Rejects, with nothing sent, where the stream cannot begin: its token has ended,
 * the hub closes, or its source throws on opening. Whatever happens later is logged here, and rejects nothing. For a peer that
 * left meanwhile no source is opened.
 */
export async function sendStream(
  exchange: Exchange,
  answer: StreamAnswer,
  options: StreamAnswerOptions,
): Promise<void> {
  const { request, response } = exchange;
  if (exchange.isClosed) return;
  if (request.method === "HEAD") {
    writeHead(exchange, answer);
    endAnswer(exchange, codeOfStatus(answer));
    return;
  }
  const link = linkEnds(exchange, options);
  let pieces: AsyncIterable<string>;
  try {
    if (link.signal.aborted) throw abortReason(link.signal);
    pieces = cutStream(answer.stream(link.signal), link, toError);
  } catch (reason) {
    link.end();
    throw reason;
  }
  writeHead(exchange, answer);
  if ("stream" in response) response.writeHead(answer.status);
  else response.flushHeaders();
  discardBody(exchange);
  try {
    await writePieces(exchange, pieces, link.signal);
    endAnswer(exchange, codeOfStatus(answer));
  } catch (reason) {
    if (exchange.isPeerGone) return;
    if (isCancellation(link.signal, reason)) endAnswer(exchange, codeOfReason(reason));
    else breakOff(exchange, reason);
  }
}

/** One signal for all that ends a stream from outside; the stream counts as open until the link ends. */
function linkEnds(exchange: Exchange, { caller, closing, metrics, streams }: StreamAnswerOptions): SignalLink {
  const leave = streams.enter(caller);
  const gone = new AbortController();
  const link = linkSignals([
    { signal: gone.signal },
    ...(caller === undefined ? [] : [{ signal: caller.ended, reason: tokenEnded }]),
    { signal: closing, reason: hubCloses },
  ]);
  const { response } = exchange;
  const onClose = (): void => {
    exchange.notePeerGone();
    gone.abort(new Error("the peer went away"));
  };
  response.once("close", onClose);
  metrics.streamOpened(exchange.method);
  link.onEnd(() => {
    leave();
    response.off("close", onClose);
    metrics.streamClosed(exchange.method);
  });
  return link;
}

function writeHead({ response }: Exchange, { status, contentType }: StreamAnswer): void {
  response.statusCode = status;
  response.setHeader("content-type", contentType);
  response.setHeader("x-accel-buffering", "no"); // else nginx keeps events back until 4 or 8 kB are there
}

/** Throws the signal's reason as soon as it aborts, whether the source or the peer is waited for. */
async function writePieces(exchange: Exchange, pieces: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
    if (bytes.length === 0) continue;
    exchange.responseBytes += bytes.length;
    await untilAborted(writeBytes(exchange.response, bytes), signal);
  }
}

/**
 * Resolves when the connection has taken the bytes, not when there is room for more: so at most one piece per peer waits here.
 * A write that fails resolves too, because the close of the answer, which always follows, is what ends the stream.
 */
function writeBytes(response: HttpResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const onTaken = (): void => resolve();
    if ("stream" in response) response.write(bytes, "utf8", onTaken);
    else response.write(bytes, onTaken);
  });
}

/** On HTTP/1.1 a peer whose body nobody reads is not seen to leave. One that goes on sending is cut; HTTP/2 has flow control. */
function discardBody(exchange: Exchange): void {
  const { request, response } = exchange;
  if ("stream" in response || request.complete) return;
  const cancel = exchange.expectBody(() => response.destroy());
  request.once("end", cancel);
  request.resume();
}

function endAnswer(exchange: Exchange, code: string): void {
  exchange.code = code;
  exchange.response.end();
  exchange.expectEnd();
}

/** Ends the answer so that the peer cannot take it for complete. */
function breakOff(exchange: Exchange, reason: unknown): void {
  const { response, log, method } = exchange;
  exchange.code = codeOfReason(reason);
  log.error("stream was broken off, because its source failed", { method }, reason);
  if ("stream" in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

function codeOfStatus({ status }: StreamAnswer): string {
  return status < 400 ? "ok" : `http_${status}`;
}

function codeOfReason(reason: unknown): string {
  return errorCodes[reason instanceof FlotillaError ? reason.code : "INTERNAL"].connect;
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason), { cause: reason });
}
