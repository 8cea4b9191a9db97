// SPDX-License-Identifier: Apache-2.0
// The hub's side of the wire: accepts the streams of `Connect` (sessions) and `Tunnel`.
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { ConnectError, type HandlerContext } from "@connectrpc/connect";
import { onAbort } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { type JoinRequest, type JoinResponse, SessionService } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { AcceptStream } from "../../session/transport.ts";
import { fromConnectError } from "../rpc-error.ts";
import { exchangeOf, peerAddressOf, peerHostOf } from "../server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../server/connect-router.ts";
import { ConnectStreamEnd } from "./connect-stream-end.ts";
import { decodeEach, encodeEach, type StreamMethod } from "./stream-method.ts";

/** Handlers for agents' calls. */
export interface SessionDoor {
  readonly accept: AcceptStream;
  /** Accepts the stream of one tunnel (TU1). */
  readonly acceptTunnel: AcceptStream;
  /**
   * Exchanges a join token for a registration. Rejects with a FlotillaError. `address` is the caller's, without its
   * port.
   */
  join(request: JoinRequest, address: string): Promise<Omit<JoinResponse, "$typeName" | "$unknown">>;
}

/** The service that agents call. */
export function createSessionService(door: SessionDoor): ServiceEntry {
  const { connect, tunnel } = SessionService.method;
  return serviceEntry(SessionService, {
    join: (request, context) => door.join(request, peerHostOf(context.values)),
    connect: (requests, context) => serveStream(connect, requests, context, door.accept),
    tunnel: (requests, context) => serveStream(tunnel, requests, context, door.acceptTunnel),
  });
}

async function* serveStream<Up extends DescMessage, Down extends DescMessage>(
  { input, output }: StreamMethod<Up, Down>,
  requests: AsyncIterable<MessageShape<Up>>,
  context: HandlerContext,
  accept: AcceptStream,
): AsyncIterable<MessageShape<Down>> {
  const end = new ConnectStreamEnd(withFlotillaErrors(encodeEach(input, () => requests)), () => unlisten());
  const unlisten = onAbort(context.signal, () =>
    end.close(new FlotillaError("UNAVAILABLE", "the stream of the session broke", { cause: context.signal.reason })),
  );
  accept(end, peerAddressOf(context.values), () => exchangeOf(context.values).noteAuthenticated());
  yield* decodeEach(output, () => end.outgoing());
}

/** The same messages, with errors converted to FlotillaErrors. */
async function* withFlotillaErrors(messages: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* messages;
  } catch (reason) {
    throw fromConnectError(ConnectError.from(reason));
  }
}
