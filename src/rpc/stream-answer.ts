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

/** What is sent piece by piece. */
export interface PieceSource {
  readonly status: number;
  /** Undefined where the headers are set already. */
  readonly contentType: string | undefined;
  readonly stream: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>;
  /** True where the source itself still reads the request's body, so that it is not to be discarded. */
  readonly readsBody?: boolean;
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
  if (exchange.isClosed) return;
  if (exchange.request.method === "HEAD") sendStreamHead(exchange, answer);
  else await sendPieces(exchange, answer, { ...options, link: linkEnds(exchange, options) });
}

/** The answer to HEAD: the headers of the stream, which is not opened. */
export function sendStreamHead(exchange: Exchange, source: PieceSource): void {
  writeHead(exchange, source);
  endAnswer(exchange, codeOfStatus(source));
}

/** Sends as `sendStream` does, until the link aborts; the link ends with the answer. Rejects with OVERLOADED beyond the limit of RP47. */
export async function sendPieces(
  exchange: Exchange,
  source: PieceSource,
  { link, ...options }: StreamAnswerOptions & { readonly link: SignalLink },
): Promise<void> {
  const { response } = exchange;
  let pieces: AsyncIterable<string | Uint8Array>;
  try {
    countStream(exchange, link, options);
    if (link.signal.aborted) throw abortReason(link.signal);
    pieces = cutStream(source.stream(link.signal), link, toError);
  } catch (reason) {
    link.end();
    throw reason;
  }
  writeHead(exchange, source);
  if ("stream" in response) response.writeHead(source.status);
  else response.flushHeaders();
  if (source.readsBody !== true) discardBody(exchange);
  try {
    await writePieces(exchange, pieces, link.signal);
    endAnswer(exchange, codeOfStatus(source));
  } catch (reason) {
    if (exchange.isPeerGone) return;
    if (isCancellation(link.signal, reason)) endAnswer(exchange, codeOfReason(reason));
    else breakOff(exchange, reason);
  }
}

/** One signal for all that ends a stream from outside. */
export function linkEnds(
  exchange: Exchange,
  { caller, closing }: Pick<StreamAnswerOptions, "caller" | "closing">,
): SignalLink {
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
  link.onEnd(() => response.off("close", onClose));
  return link;
}

/** Counts a stream as open until the link ends. Throws OVERLOADED where its caller has as many as it may (RP47). */
export function countStream(
  { method }: Exchange,
  link: SignalLink,
  { caller, metrics, streams }: Pick<StreamAnswerOptions, "caller" | "metrics" | "streams">,
): void {
  const leave = streams.enter(caller);
  metrics.streamOpened(method);
  link.onEnd(() => {
    leave();
    metrics.streamClosed(method);
  });
}

function writeHead({ response }: Exchange, { status, contentType }: PieceSource): void {
  response.statusCode = status;
  if (contentType !== undefined) response.setHeader("content-type", contentType);
  response.setHeader("x-accel-buffering", "no"); // else nginx keeps events back until 4 or 8 kB are there
}

/** Throws the signal's reason as soon as it aborts, whether the source or the peer is waited for. */
async function writePieces(
  exchange: Exchange,
  pieces: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const piece of pieces) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
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

function codeOfStatus({ status }: Pick<PieceSource, "status">): string {
  return status < 400 ? "ok" : `http_${status}`;
}

function codeOfReason(reason: unknown): string {
  return errorCodes[reason instanceof FlotillaError ? reason.code : "INTERNAL"].connect;
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason), { cause: reason });
}
