// SPDX-License-Identifier: Apache-2.0
// The agent's side of the wire: HTTP/2 over TLS, gRPC, a connection of its own for each session.
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import type { Clock } from "../../base/clock.ts";
import { withDeadline } from "../../base/deadline.ts";
import { FlotillaError } from "../../base/error.ts";
import {
  type ConnectRequest,
  ConnectRequestSchema,
  ConnectResponseSchema,
  SessionService,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import type { SessionTransport } from "../../session/transport.ts";
import { createErrorTransport } from "../error-transport.ts";
import { fromNetworkError } from "../network-error.ts";
import { WireEnd } from "./wire-end.ts";

export interface SessionTransportOptions {
  /** `https://host:port` of the hub. */
  readonly url: string;
  /** PEM text of the CA to trust in place of the system's. */
  readonly ca?: string;
  readonly clock: Clock;
  /** For name lookup, TCP, TLS and HTTP/2 together (N-43). */
  readonly connectTimeoutMs: number;
  readonly maxMessageBytes: number;
}

/** PINGs below the session's heartbeats would find a dead peer no sooner; these keep middleboxes from forgetting the connection. */
const pings = { pingIntervalMs: 20_000, pingTimeoutMs: 10_000 };

/** 5 s: how long a hub may take to end its half of a stream that the agent has ended. */
const lingerMs = 5_000;

/** A transport that dials the hub anew for each session: what was wrong with the last connection cannot harm the next. */
export function createSessionTransport(options: SessionTransportOptions): SessionTransport {
  const { url, clock, connectTimeoutMs, maxMessageBytes } = options;
  return {
    async dial(signal) {
      const connection = new Http2SessionManager(url, pings, options.ca === undefined ? {} : { ca: options.ca });
      try {
        const connecting = { clock, limitMs: connectTimeoutMs, what: `a connection to ${url}`, signal };
        await withDeadline(() => connect(connection, url), connecting);
      } catch (reason) {
        connection.abort();
        throw reason;
      }
      const inner = createGrpcTransport({
        baseUrl: url,
        sessionManager: connection,
        readMaxBytes: maxMessageBytes,
        writeMaxBytes: maxMessageBytes,
      });
      return openEnd(createErrorTransport(inner, { url, timeoutMs: connectTimeoutMs }), connection, clock);
    },
  };
}

async function connect(connection: Http2SessionManager, url: string): Promise<void> {
  const state = await connection.connect();
  if (state !== "error") return;
  const reason = connection.error();
  throw (
    fromNetworkError(reason, url) ?? new FlotillaError("UNAVAILABLE", `${url} cannot be reached`, { cause: reason })
  );
}

function openEnd(transport: Transport, connection: Http2SessionManager, clock: Clock): WireEnd {
  const call = new AbortController();
  // Connect asks for what is sent only once the call is under way, and by then there is an end.
  const messages = receiveAll(
    decoded(() => end.outgoing()),
    transport,
    call.signal,
  );
  const end: WireEnd = new WireEnd(messages, (ending) => {
    if (ending.kind === "ended") return lingerThenClose(messages, connection, clock);
    call.abort(ending.error);
    connection.abort();
    return undefined;
  });
  return end;
}

async function* receiveAll(
  outgoing: AsyncIterable<ConnectRequest>,
  transport: Transport,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const messages = createClient(SessionService, transport).connect(outgoing, { signal });
  for await (const message of messages) yield toBinary(ConnectResponseSchema, message);
}

/** After an orderly end what waits is still sent and the hub ends its half; a hub that does not is left after a while. */
async function lingerThenClose(
  messages: AsyncGenerator<Uint8Array>,
  connection: Http2SessionManager,
  clock: Clock,
): Promise<void> {
  const cancel = clock.setTimer(lingerMs, () => connection.abort());
  await readToEnd(messages).catch(() => undefined); // the stream is over either way, and its end was told
  cancel();
  connection.abort();
}

/** What comes after the end is for nobody. */
async function readToEnd(messages: AsyncGenerator<Uint8Array>): Promise<void> {
  let step = await messages.next();
  while (step.done !== true) step = await messages.next();
}

async function* decoded(messages: () => AsyncIterable<Uint8Array>): AsyncIterable<ConnectRequest> {
  for await (const bytes of messages()) yield fromBinary(ConnectRequestSchema, bytes);
}
