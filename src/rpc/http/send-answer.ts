// SPDX-License-Identifier: Apache-2.0
// Sends the non-streamed responses of routes, and errors.
import { errorCodes } from "../../base/error-codes.ts";
import type { FileAnswer } from "../page/file-answer.ts";
import { challenge, toSafeError } from "../rpc-error.ts";
import type { Exchange } from "./exchange.ts";
import type { SenderRefusal } from "./host-check.ts";
import type { RedirectAnswer, WholeAnswer } from "./route.ts";

/** Sends a complete answer. */
export function sendAnswer(exchange: Exchange, { status, contentType, body }: WholeAnswer): void {
  exchange.response.setHeader("content-type", contentType);
  sendBody(exchange, status, typeof body === "string" ? Buffer.from(body) : body);
}

/** Sends a file of the page. Its headers replace the API's security policy and caching. */
export function sendFile(exchange: Exchange, { status, headers, body }: FileAnswer): void {
  for (const [name, value] of headers) exchange.response.setHeader(name, value);
  sendBody(exchange, status, body);
}

export function sendRedirect(exchange: Exchange, { status, location }: RedirectAnswer): void {
  exchange.response.setHeader("location", location);
  sendBody(exchange, status, new Uint8Array());
}

/** Sends status and body with the headers that are already set. HEAD gets no body. */
export function sendBody(exchange: Exchange, status: number, body: Uint8Array): void {
  const { response } = exchange;
  exchange.code = status < 400 ? "ok" : `http_${status}`;
  response.statusCode = status;
  // A 304 has no body; a content-length would be applied to the browser's copy.
  if (status !== 304) response.setHeader("content-length", body.length);
  exchange.responseBytes = body.length;
  if (exchange.request.method === "HEAD" || status === 304) response.end();
  else response.end(body);
  exchange.expectEnd();
}

/** Sends an error with the HTTP status of its code. A response that has begun is destroyed instead. */
export function sendError(exchange: Exchange, reason: unknown): void {
  const { response, requestId } = exchange;
  const error = toSafeError(reason, requestId);
  if (error.code === "INTERNAL") {
    exchange.log.error("unexpected internal error", { method: exchange.method }, reason);
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error.code === "UNAUTHENTICATED") response.setHeader("www-authenticate", challenge);
  sendRefusal(exchange, { status: errorCodes[error.code].http, code: error.code, message: error.message });
  exchange.code = errorCodes[error.code].connect;
}

/** Sends an error as JSON: code, message, request id. */
export function sendRefusal(exchange: Exchange, { status, code, message }: SenderRefusal): void {
  const body = JSON.stringify({ code, message, requestId: exchange.requestId });
  sendAnswer(exchange, { status, contentType: "application/json", body });
}
