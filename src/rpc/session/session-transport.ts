// SPDX-License-Identifier: Apache-2.0
// The agent's side of the wire: HTTP/2 over TLS, gRPC; a connection of its own for each session, one that is kept for tunnels.
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type Client, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Clock } from "../../base/clock.ts";
import { withDeadline } from "../../base/deadline.ts";
import { FlotillaError } from "../../base/error.ts";
import { type ConnectRequest, SessionService, type TunnelRequest } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { SessionTransport } from "../../session/transport.ts";
import { createErrorTransport } from "../error-transport.ts";
import { HubConnection } from "../hub-connection.ts";
import { fromNetworkError } from "../network-error.ts";
import { decodeEach, encodeEach, type StreamMethod } from "./stream-method.ts";
import { WireEnd } from "./wire-end.ts";

export interface SessionTransportOptions {
  /** `https://host:port` of the hub. */
  readonly url: string;
  /** PEM text of the CA to trust in place of the system's. */
  readonly ca?: string;
  readonly clock: Clock;
  /** For a dial, whoever waits for it (N-43). */
  readonly connectTimeoutMs: number;
  readonly maxMessageBytes: number;
  /** The HTTP proxy by which the hub is reached; undefined: none. */
  readonly proxy?: URL | undefined;
}

/** PINGs below the session's heartbeats would find a dead peer no sooner; these keep middleboxes from forgetting the connection. */
const pings = { pingIntervalMs: 20_000, pingTimeoutMs: 10_000 };

/** 5 s: how long a hub may take to end its half of a stream that the agent has ended. */
const lingerMs = 5_000;

/** A connection that died since the last tunnel is found by a PING before the next one, well within the time of a question (TU4). */
const tunnelPings = { pingIntervalMs: 2_000, pingTimeoutMs: 3_000 };

/** A transport that dials the hub anew for each session: what was wrong with the last connection cannot harm the next. */
export function createSessionTransport(options: SessionTransportOptions): SessionTransport {
  return {
    async dial(signal) {
      const connection = createConnection(options, pings);
      try {
        await connect(connection, options, signal);
      } catch (reason) {
        connection.abort();
        throw reason;
      }
      const { connect: method } = SessionService.method;
      const client = createSessionClient(options, connection);
      const call = (up: AsyncIterable<ConnectRequest>, within: AbortSignal) => client.connect(up, { signal: within });
      return openEnd(method, call, { clock: options.clock, letGo: () => connection.abort() });
    },
  };
}

/** A transport for tunnels: all on one connection beside that of the session, opened when it is needed and closed when nobody reads anything for a while. */
export interface TunnelTransport extends SessionTransport, Disposable {}

/** Nothing is dialled before the first tunnel. Dispose it, or its connection stays until it is idle. */
export function createTunnelTransport(options: SessionTransportOptions): TunnelTransport {
  const connection = createConnection(options, tunnelPings);
  const client = createSessionClient(options, connection);
  return {
    async dial(signal) {
      await connect(connection, options, signal);
      const { tunnel: method } = SessionService.method;
      const call = (up: AsyncIterable<TunnelRequest>, within: AbortSignal) => client.tunnel(up, { signal: within });
      return openEnd(method, call, { clock: options.clock, letGo: () => undefined });
    },
    [Symbol.dispose]: () => connection.abort(),
  };
}

function createConnection(options: SessionTransportOptions, times: typeof pings): HubConnection {
  return new HubConnection({ ...options, ...times, dialTimeoutMs: options.connectTimeoutMs });
}

function createSessionClient(
  { url, connectTimeoutMs, maxMessageBytes }: SessionTransportOptions,
  sessionManager: HubConnection,
): Client<typeof SessionService> {
  const limits = { readMaxBytes: maxMessageBytes, writeMaxBytes: maxMessageBytes };
  const inner = createGrpcTransport({ baseUrl: url, sessionManager, ...limits });
  return createClient(SessionService, createErrorTransport(inner, { url, timeoutMs: connectTimeoutMs }));
}

/** Resolves when the connection is open. Rejects with what stands in the way. */
async function connect(
  connection: HubConnection,
  { url, clock, connectTimeoutMs }: SessionTransportOptions,
  signal: AbortSignal,
): Promise<void> {
  const open = (): Promise<void> =>
    connection.open().catch((reason: unknown) => {
      const unreachable = new FlotillaError("UNAVAILABLE", `${url} cannot be reached`, { cause: reason });
      throw reason instanceof FlotillaError ? reason : (fromNetworkError(reason, url) ?? unreachable);
    });
  await withDeadline(open, { clock, limitMs: connectTimeoutMs, what: `a connection to ${url}`, signal });
}

function openEnd<Up extends DescMessage, Down extends DescMessage>(
  { input, output }: StreamMethod<Up, Down>,
  start: (up: AsyncIterable<MessageShape<Up>>, signal: AbortSignal) => AsyncIterable<MessageShape<Down>>,
  { clock, letGo }: { readonly clock: Clock; readonly letGo: () => void },
): WireEnd {
  const call = new AbortController();
  const abort = (reason: FlotillaError): void => {
    call.abort(reason);
    letGo();
  };
  // Connect asks for what is sent only once the call is under way, and by then there is an end.
  const up = decodeEach(input, () => end.outgoing());
  const messages = encodeEach(output, () => start(up, call.signal));
  const end: WireEnd = new WireEnd(messages, (ending) => {
    if (ending.kind === "ended") return lingerThenAbort(messages, clock, abort);
    abort(ending.error);
    return undefined;
  });
  return end;
}

/** After an orderly end what waits is still sent and the hub ends its half; a hub that does not is left after a while. */
async function lingerThenAbort(
  messages: AsyncGenerator<Uint8Array>,
  clock: Clock,
  abort: (reason: FlotillaError) => void,
): Promise<void> {
  const over = new FlotillaError("UNAVAILABLE", "the stream is over");
  const cancel = clock.setTimer(lingerMs, () => abort(over));
  await readToEnd(messages).catch(() => undefined); // the stream is over either way, and its end was told
  cancel();
  abort(over);
}

/** What comes after the end is for nobody. */
async function readToEnd(messages: AsyncGenerator<Uint8Array>): Promise<void> {
  let step = await messages.next();
  while (step.done !== true) step = await messages.next();
}
