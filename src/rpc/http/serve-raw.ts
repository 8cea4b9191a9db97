// SPDX-License-Identifier: Apache-2.0
// Serves raw routes: access, limits before authentication, sending of responses, and connections that switch to another
// protocol.
import { validateHeaderName, validateHeaderValue } from "node:http";
import { isCancellation } from "../../base/abort.ts";
import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/time/clock.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import { maxUnauthenticatedBytes } from "../../session/hub/session-limits.ts";
import { type CallerAccess, checkAccess } from "../auth/check-access.ts";
import type { SignalLink } from "../server/abortable-stream.ts";
import type { UnaryDeadlines } from "../server/call-interceptor.ts";
import type { Exchange } from "./exchange.ts";
import type { SwitchedConnection } from "./http-types.ts";
import { isInertRawType, type RawAnswer, type RawHeaders, type RawRoute, type SwitchAnswer } from "./raw-route.ts";
import { readBody } from "./request-body.ts";
import { toRouteRequest } from "./route.ts";
import { sendBody } from "./send-answer.ts";
import {
  countStream,
  linkEnds,
  type PieceSource,
  type StreamAnswerOptions,
  sendPieces,
  sendStreamHead,
} from "./stream-answer.ts";
import type { StreamContext } from "./stream-limit.ts";

export interface ServeRawOptions {
  readonly access: CallerAccess;
  readonly streams: StreamContext;
  readonly deadlines: UnaryDeadlines;
  readonly clock: Clock;
  /** Set for an upgrade request. */
  readonly switched: SwitchedConnection | undefined;
}

/** Serves one request. Rejects, with nothing sent, if it is refused or its handler throws. */
export async function serveRaw(
  route: RawRoute,
  exchange: Exchange,
  { access, streams, deadlines, clock, switched }: ServeRawOptions,
): Promise<void> {
  const caller = await withDeadline(() => checkAccess(route.access, exchange, access), {
    clock,
    limitMs: deadlines.defaultMs,
    what: "the check of the caller",
  });
  const link = linkEnds(exchange, { caller, streams });
  const body = { isRead: false };
  let answer: RawAnswer | SwitchAnswer;
  try {
    answer = await route.raw({
      ...toRouteRequest(exchange, caller),
      url: exchange.request.url ?? "",
      headers: exchange.request.headers,
      isUpgrade: switched !== undefined,
      body: () => {
        assert(!body.isRead, "the body of a request is read once");
        body.isRead = true;
        return readBody(exchange, { maxMessageBytes: undefined, maxUnauthenticatedBytes });
      },
      noteAuthenticated: () => exchange.noteAuthenticated(),
      signal: link.signal,
    });
  } catch (reason) {
    const isCut = isCancellation(link.signal, reason);
    link.end();
    if (isCut && exchange.isClosed) return; // by the peer, which no answer reaches
    throw reason;
  }
  if (exchange.isClosed) {
    await discard(answer);
    return;
  }
  if ("serve" in answer) await switchProtocol(exchange, answer, { caller, streams, link, switched });
  else await sendRaw(exchange, answer, { caller, streams, link, readsBody: body.isRead });
}

/** Closes the source of a stream that is not sent. The signal of its request has aborted. */
async function discard(answer: RawAnswer | SwitchAnswer): Promise<void> {
  if ("serve" in answer || answer.body instanceof Uint8Array) return;
  await answer.body[Symbol.asyncIterator]().return?.();
}

interface RawSending extends StreamAnswerOptions {
  readonly link: SignalLink;
}

async function sendRaw(
  exchange: Exchange,
  answer: RawAnswer,
  options: RawSending & { readonly readsBody: boolean },
): Promise<void> {
  const { link } = options;
  const { status, body } = answer;
  setHeaders(exchange, answer.headers);
  if (body instanceof Uint8Array) {
    link.end();
    sendBody(exchange, status, body);
    return;
  }
  const source: PieceSource = { status, contentType: undefined, stream: () => body, readsBody: options.readsBody };
  if (exchange.request.method !== "HEAD") {
    await sendPieces(exchange, source, options);
    return;
  }
  link.end();
  sendStreamHead(exchange, source);
}

/** The security headers are already set; a route may replace only `cache-control`. */
function setHeaders({ response }: Exchange, headers: RawHeaders): void {
  for (const [name, value] of headers) {
    assert(name === "cache-control" || !response.hasHeader(name), `a raw route may not answer the header ${name}`);
    if (name === "content-type")
      assert(isInertRawType(String(value)), "a raw route answered a content type that a browser may render as a page");
    response.setHeader(name, typeof value === "string" ? value : [...value]);
  }
}

/**
 * Passes the connection to the answer's `serve`. It counts as a stream, and closes when `serve` settles or the link
 * aborts.
 */
async function switchProtocol(
  exchange: Exchange,
  { headers, serve }: SwitchAnswer,
  { caller, streams, link, switched }: RawSending & Pick<ServeRawOptions, "switched">,
): Promise<void> {
  assert(switched !== undefined, "only an upgrade request can switch protocols");
  const { socket } = switched;
  try {
    countStream(exchange, link, { caller, streams });
  } catch (reason) {
    link.end();
    throw reason;
  }
  link.signal.addEventListener("abort", () => socket.destroy(), { once: true });
  exchange.code = "ok";
  exchange.response.statusCode = 101;
  try {
    if (link.signal.aborted) return;
    socket.write(switchHead(headers));
    await serve(switched);
  } catch (reason) {
    if (!isCancellation(link.signal, reason))
      exchange.log.error("connection closed because its handler failed", { method: exchange.method }, reason);
  } finally {
    link.end();
    socket.destroySoon();
  }
}

function switchHead(headers: RawHeaders): string {
  const lines = headers.flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map((each) => {
      validateHeaderName(name);
      validateHeaderValue(name, each);
      return `${name}: ${each}\r\n`;
    }),
  );
  return `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\n${lines.join("")}\r\n`;
}
