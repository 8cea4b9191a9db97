// SPDX-License-Identifier: Apache-2.0
// The agent's side of the wire: gRPC over HTTP/2 and TLS. Each session has its own connection; tunnels share one.
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type Client, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import { type ConnectRequest, SessionService, type TunnelRequest } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { SessionTransport } from "../../session/transport.ts";
import { createErrorTransport } from "../client/error-transport.ts";
import { HubConnection } from "../client/hub-connection.ts";
import { fromNetworkError } from "../client/network-error.ts";
import { ConnectStreamEnd } from "./connect-stream-end.ts";
import { decodeEach, encodeEach, type StreamMethod } from "./stream-method.ts";

export interface SessionTransportOptions {
  /** `https://host:port` of the hub. */
  readonly url: string;
  /** PEM text of the CA to trust in place of the system's. */
  readonly ca?: string | undefined;
  readonly clock: Clock;
  /** Time limit of a dial, shared by all callers that wait for it (N-43). */
  readonly connectTimeoutMs: number;
  readonly maxMessageBytes: number;
  /** The HTTP proxy to the hub; undefined: no proxy. */
  readonly proxy?: URL | undefined;
}

/** PINGs that keep middleboxes from dropping the connection. The session's heartbeats find a dead peer. */
const pings = { pingIntervalMs: 20_000, pingTimeoutMs: 10_000 };

/** 5 s: how long the hub may take to end its half of a stream after the agent ended its own. */
const lingerMs = 5_000;

/**
 * A PING before the next tunnel finds a connection that died since the last one, well within the time limit of a read
 * (TU4).
 */
const tunnelPings = { pingIntervalMs: 2_000, pingTimeoutMs: 3_000 };

/**
 * A transport that opens a new connection for each session, so that problems of the last connection cannot affect the
 * next.
 */
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
      return openEnd(method, call, { clock: options.clock, release: () => connection.abort() });
    },
  };
}

/**
 * A transport for tunnels. All share one connection, separate from the session's. It is opened on demand and closed
 * when idle.
 */
export interface TunnelTransport extends SessionTransport, Disposable {}

/** Creates the transport; the first tunnel dials. Dispose it, or its connection stays open until its idle timeout. */
export function createTunnelTransport(options: SessionTransportOptions): TunnelTransport {
  const connection = createConnection(options, tunnelPings);
  const client = createSessionClient(options, connection);
  return {
    async dial(signal) {
      await connect(connection, options, signal);
      const { tunnel: method } = SessionService.method;
      const call = (up: AsyncIterable<TunnelRequest>, within: AbortSignal) => client.tunnel(up, { signal: within });
      return openEnd(method, call, { clock: options.clock, release: () => undefined });
    },
    [Symbol.dispose]: () => connection.abort(),
  };
}

function createConnection(options: SessionTransportOptions, times: typeof pings): HubConnection {
  const { url, ca, proxy, clock, connectTimeoutMs: dialTimeoutMs } = options;
  return new HubConnection({ url, ca, proxy, clock, dialTimeoutMs, ...times });
}

function createSessionClient(
  { url, connectTimeoutMs, maxMessageBytes }: SessionTransportOptions,
  sessionManager: HubConnection,
): Client<typeof SessionService> {
  const limits = { readMaxBytes: maxMessageBytes, writeMaxBytes: maxMessageBytes };
  const inner = createGrpcTransport({ baseUrl: url, sessionManager, ...limits });
  return createClient(SessionService, createErrorTransport(inner, { url, timeoutMs: connectTimeoutMs }));
}

/** Resolves when the connection is open. Rejects with the dial's error. */
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
  { clock, release }: { readonly clock: Clock; readonly release: () => void },
): ConnectStreamEnd {
  const call = new AbortController();
  const abort = (reason: FlotillaError): void => {
    call.abort(reason);
    release();
  };
  // Connect reads `up` only after the call has started; `end` is assigned by then.
  const up = decodeEach(input, () => end.outgoing());
  const messages = encodeEach(output, () => start(up, call.signal));
  const end: ConnectStreamEnd = new ConnectStreamEnd(messages, (ending) => {
    if (ending.kind === "ended") return lingerThenAbort(messages, clock, abort);
    abort(ending.error);
    return undefined;
  });
  return end;
}

/**
 * After a regular end, queued messages are still sent and the hub ends its half. A hub that does not is disconnected
 * after `lingerMs`.
 */
async function lingerThenAbort(
  messages: AsyncGenerator<Uint8Array>,
  clock: Clock,
  abort: (reason: FlotillaError) => void,
): Promise<void> {
  const over = new FlotillaError("UNAVAILABLE", "the stream is over");
  const cancel = clock.setTimer(lingerMs, () => abort(over));
  await readToEnd(messages).catch(() => undefined); // the stream has ended and was reported; this error adds nothing
  cancel();
  abort(over);
}

/** Discards messages that arrive after the end. */
async function readToEnd(messages: AsyncGenerator<Uint8Array>): Promise<void> {
  let step = await messages.next();
  while (step.done !== true) step = await messages.next();
}
