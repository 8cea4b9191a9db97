// SPDX-License-Identifier: Apache-2.0
import { isCancellation, onAbort } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import { createTaskGuard } from "../../base/task-guard.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { HttpRequest, HttpResponse, RequestListener } from "../../rpc/http/http-types.ts";
import { headerOf } from "../../rpc/http/http-types.ts";
import type { ListenAddress } from "../../rpc/listener/listen.ts";
import { type Listener, openTlsListener } from "../../rpc/listener/listener.ts";
import { defaultListenerLimits } from "../../rpc/listener/listener-limits.ts";
import type { ServerIdentity } from "../../rpc/tls/server-identity.ts";
import type { ApiServer } from "../api-server.ts";
import { answerHttp } from "./answer-http.ts";
import { sendResponse } from "./send-http.ts";

export interface ServeApiOptions extends ListenAddress {
  readonly server: ApiServer;
  readonly identity: ServerIdentity;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Serves an API server over TLS with HTTP/2 and HTTP/1.1. Rejects with LISTEN_FAILED. */
export function serveApi(options: ServeApiOptions): Promise<Listener> {
  const { server, identity, clock, log } = options;
  return openTlsListener(
    {
      ...options,
      // Watches are many and long: a controller manager holds about a hundred on one connection.
      limits: { ...defaultListenerLimits, maxStreamCount: 1000 },
      clock,
      log,
      // A playground cluster has no metrics; failures are logged.
      guard: createTaskGuard({ log, failures: { add: () => undefined } }),
      onRequest: createApiListener(server, log),
      onCut: () => undefined,
      onConnectionCount: () => undefined,
    },
    identity,
  );
}

interface HttpExchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly noteAuthenticated: () => void;
}

/**
 * Handles HTTP requests for an API server: authenticates, responds, and cancels work for disconnected clients. A valid
 * token exempts its connection from the limits of unauthenticated ones (AP41).
 */
export function createApiListener(server: ApiServer, log: Logger): RequestListener {
  // One listener for all requests: merging two signals for each request would load the garbage collector.
  const open = new Set<AbortController>();
  onAbort(server.closing, () => open.forEach((work) => work.abort(server.closing.reason)));
  return (request, response, noteAuthenticated) => {
    const work = new AbortController();
    let isAnswered = false;
    if (server.closing.aborted) work.abort(server.closing.reason);
    else open.add(work);
    response.once("close", () => {
      open.delete(work);
      if (!isAnswered) work.abort(new Error("the client closed the connection"));
    });
    serveOne(server, { request, response, noteAuthenticated }, work.signal).then(
      () => {
        isAnswered = true;
      },
      (reason: unknown) => {
        if (!isCancellation(work.signal, reason))
          log.error("a response could not be sent", { path: request.url ?? "" }, reason);
        response.destroy();
      },
    );
  };
}

async function serveOne(
  server: ApiServer,
  { request, response, noteAuthenticated }: HttpExchange,
  signal: AbortSignal,
): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const body = (): AsyncIterable<Uint8Array> => {
    // Sent on first read: a request that is refused before never sends its body.
    if (headerOf(request, "expect")?.toLowerCase() === "100-continue") response.writeContinue();
    return request;
  };
  const answer = await answerHttp(server, { method, url, headers, body, noteAuthenticated }, signal);
  await sendResponse(response, answer, signal);
}
