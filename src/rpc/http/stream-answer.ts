// SPDX-License-Identifier: Apache-2.0
// Sends the streamed responses of routes.
import { constants } from "node:http2";
import { abortReason, isCancellation, orAborted } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { errorCodes } from "../../base/error-codes.ts";
import { tokenEnded } from "../auth/authenticate.ts";
import { endStreamOnAbort, linkSignals, type SignalLink } from "../server/abortable-stream.ts";
import type { Caller } from "../server/call-context.ts";
import type { Exchange } from "./exchange.ts";
import type { HttpResponse } from "./http-types.ts";
import type { StreamAnswer } from "./route.ts";
import { hubCloses, type StreamContext } from "./stream-limit.ts";

export interface StreamAnswerOptions {
  /** Undefined on public routes; no token ends their streams. */
  readonly caller: Caller | undefined;
  readonly streams: StreamContext;
}

/** A streamed response. */
export interface PieceSource {
  readonly status: number;
  /** Undefined if the headers are already set. */
  readonly contentType: string | undefined;
  readonly stream: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>;
  /** True if the source reads the request's body, so that it must not be discarded. */
  readonly readsBody?: boolean;
}

/**
 * Sends a stream and resolves when it has ended. Rejects, with nothing sent, if the stream cannot begin: its token has
 * ended, the hub closes, or its source throws on opening. Later failures are logged and do not reject. If the peer has
 * already left, no source is opened.
 */
export async function sendStream(
  exchange: Exchange,
  answer: StreamAnswer,
  { caller, streams }: StreamAnswerOptions,
): Promise<void> {
  if (exchange.isClosed) return;
  if (exchange.request.method === "HEAD") sendStreamHead(exchange, answer);
  else await sendPieces(exchange, answer, { caller, streams, link: linkEnds(exchange, { caller, streams }) });
}

/** Answers HEAD with the headers of the stream. The stream is not opened. */
export function sendStreamHead(exchange: Exchange, source: PieceSource): void {
  writeHead(exchange, source);
  endAnswer(exchange, codeOfStatus(source));
}

/**
 * Like `sendStream`, until the link aborts. The link ends with the response. Rejects with OVERLOADED beyond the limit
 * of RP47.
 */
export async function sendPieces(
  exchange: Exchange,
  source: PieceSource,
  { caller, streams, link }: StreamAnswerOptions & { readonly link: SignalLink },
): Promise<void> {
  const { response } = exchange;
  let pieces: AsyncIterable<string | Uint8Array>;
  try {
    countStream(exchange, link, { caller, streams });
    if (link.signal.aborted) throw abortReason(link.signal);
    pieces = endStreamOnAbort(source.stream(link.signal), link, toError);
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

/** One signal for everything that ends a stream from outside: the peer, the token, the hub. */
export function linkEnds(exchange: Exchange, { caller, streams }: StreamAnswerOptions): SignalLink {
  const gone = new AbortController();
  const link = linkSignals([
    { signal: gone.signal },
    ...(caller === undefined ? [] : [{ signal: caller.ended, reason: tokenEnded }]),
    { signal: streams.closing, reason: hubCloses },
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

/** Counts a stream as open until the link ends. Throws OVERLOADED if the caller has the maximum open (RP47). */
export function countStream({ method }: Exchange, link: SignalLink, { caller, streams }: StreamAnswerOptions): void {
  const { limit, metrics } = streams;
  const leave = limit.enter(caller);
  metrics.streamOpened(method);
  link.onEnd(() => {
    leave();
    metrics.streamClosed(method);
  });
}

function writeHead({ response }: Exchange, { status, contentType }: PieceSource): void {
  response.statusCode = status;
  if (contentType !== undefined) response.setHeader("content-type", contentType);
  response.setHeader("x-accel-buffering", "no"); // otherwise nginx buffers events up to 4 or 8 kB
}

/** Throws the signal's reason as soon as it aborts, even while waiting for the source or the peer. */
async function writePieces(
  exchange: Exchange,
  pieces: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const piece of pieces) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    if (bytes.length === 0) continue;
    exchange.responseBytes += bytes.length;
    await orAborted(writeBytes(exchange.response, bytes), signal);
  }
}

/**
 * Resolves when the connection has accepted the bytes, not when its buffer has room: so at most one piece per peer is
 * buffered. A failed write resolves too; the response's `close` event, which always follows, ends the stream.
 */
function writeBytes(response: HttpResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const onTaken = (): void => resolve();
    if ("stream" in response) response.write(bytes, "utf8", onTaken);
    else response.write(bytes, onTaken);
  });
}

/**
 * On HTTP/1.1 the body must be read to notice that the peer has left. A peer that keeps sending is cut. HTTP/2 has flow
 * control.
 */
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

/** Ends the response so that the peer sees that it is incomplete. */
function breakOff(exchange: Exchange, reason: unknown): void {
  const { response, log, method } = exchange;
  exchange.code = codeOfReason(reason);
  log.error("stream broken off because its source failed", { method }, reason);
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
