// SPDX-License-Identifier: Apache-2.0
// The hub's side of the wire: each call of `Connect` is a stream for whoever accepts sessions.
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { ConnectError, type HandlerContext } from "@connectrpc/connect";
import { onAbort } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import {
  type ConnectRequest,
  ConnectRequestSchema,
  type ConnectResponse,
  ConnectResponseSchema,
  type JoinRequest,
  type JoinResponse,
  SessionService,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import type { AcceptStream } from "../../session/transport.ts";
import { type ServiceEntry, serviceEntry } from "../connect-router.ts";
import { peerAddressOf } from "../exchange-key.ts";
import { fromConnectError } from "../rpc-error.ts";
import { WireEnd } from "./wire-end.ts";

/** What a hub does with agents that come. */
export interface SessionDoor {
  readonly accept: AcceptStream;
  /** Exchanges a join token for a registration; rejects with a FlotillaError. */
  join(request: JoinRequest, from: string): Promise<Omit<JoinResponse, "$typeName" | "$unknown">>;
}

/** The service that agents call. */
export function createSessionService(door: SessionDoor): ServiceEntry {
  return serviceEntry(SessionService, {
    join: (request, context) => door.join(request, peerAddressOf(context.values)),
    connect: (requests, context) => serveStream(requests, context, door.accept),
  });
}

async function* serveStream(
  requests: AsyncIterable<ConnectRequest>,
  context: HandlerContext,
  accept: AcceptStream,
): AsyncIterable<ConnectResponse> {
  const end = new WireEnd(encoded(requests), () => unlisten());
  const unlisten = onAbort(context.signal, () =>
    end.close(new FlotillaError("UNAVAILABLE", "the stream of the session broke", { cause: context.signal.reason })),
  );
  accept(end, peerAddressOf(context.values));
  for await (const bytes of end.outgoing()) yield fromBinary(ConnectResponseSchema, bytes);
}

async function* encoded(requests: AsyncIterable<ConnectRequest>): AsyncIterable<Uint8Array> {
  try {
    for await (const request of requests) yield toBinary(ConnectRequestSchema, request);
  } catch (reason) {
    throw fromConnectError(ConnectError.from(reason));
  }
}
