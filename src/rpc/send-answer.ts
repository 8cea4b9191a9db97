// SPDX-License-Identifier: Apache-2.0
// Answers of routes that are whole when they are sent, and failures.
import { errorCodes } from "../base/error-codes.ts";
import type { Exchange } from "./exchange.ts";
import type { FileAnswer } from "./file-answer.ts";
import type { SenderRefusal } from "./host-check.ts";
import type { RedirectAnswer, WholeAnswer } from "./route.ts";
import { challenge, toSafeError } from "./rpc-error.ts";

/** Sends an answer that is whole. */
export function sendAnswer(exchange: Exchange, { status, contentType, body }: WholeAnswer): void {
  exchange.response.setHeader("content-type", contentType);
  sendBody(exchange, status, typeof body === "string" ? Buffer.from(body) : body);
}

/** A file brings the policy and the caching of a page, in place of those of an API. */
export function sendFile(exchange: Exchange, { status, headers, body }: FileAnswer): void {
  for (const [name, value] of headers) exchange.response.setHeader(name, value);
  sendBody(exchange, status, body);
}

export function sendRedirect(exchange: Exchange, { status, location }: RedirectAnswer): void {
  exchange.response.setHeader("location", location);
  sendBody(exchange, status, new Uint8Array());
}

/** Sends status and body, with the headers that are set already; to HEAD without the body. */
export function sendBody(exchange: Exchange, status: number, body: Uint8Array): void {
  const { response } = exchange;
  exchange.code = status < 400 ? "ok" : `http_${status}`;
  response.statusCode = status;
  // A 304 has no body, and its length would be taken for that of the copy.
  if (status !== 304) response.setHeader("content-length", body.length);
  exchange.responseBytes = body.length;
  if (exchange.request.method === "HEAD" || status === 304) response.end();
  else response.end(body);
  exchange.expectEnd();
}

/** Sends a failure by the table of errors. An answer that has begun is broken off instead. */
export function sendError(exchange: Exchange, reason: unknown): void {
  const { response, requestId } = exchange;
  const error = toSafeError(reason, requestId);
  if (error.code === "INTERNAL") {
    exchange.log.error("request failed in a way nobody foresaw", { method: exchange.method }, reason);
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error.code === "UNAUTHENTICATED") response.setHeader("www-authenticate", challenge);
  sendRefusal(exchange, { status: errorCodes[error.code].http, code: error.code, message: error.message });
  exchange.code = errorCodes[error.code].connect;
}

/** A failure as JSON: code, sentence, request id. */
export function sendRefusal(exchange: Exchange, { status, code, message }: SenderRefusal): void {
  const body = JSON.stringify({ code, message, requestId: exchange.requestId });
  sendAnswer(exchange, { status, contentType: "application/json", body });
}
