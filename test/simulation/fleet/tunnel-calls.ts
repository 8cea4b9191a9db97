// SPDX-License-Identifier: Apache-2.0
// The hub's RPC services as the world calls them: the code that ships, without HTTP around it.
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { create, type DescService, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextValues, createHandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { onAbort } from "../../../src/base/abort.ts";
import { assert } from "../../../src/base/assert.ts";
import { FlotillaError, toFlotillaError } from "../../../src/base/error.ts";
import type { SeededRandom } from "../../../src/base/random.ts";
import { passingGuard } from "../../../src/base/task-guard.ts";
import { silentMetrics } from "../../../src/base/testing/silent-metrics.ts";
import { GetObjectRequestSchema, QueryService } from "../../../src/gen/flotilla/query/v1/query_pb.ts";
import {
  SessionService,
  type TunnelRequest,
  TunnelRequestSchema,
  TunnelResponseSchema,
} from "../../../src/gen/flotilla/session/v1/session_pb.ts";
import type { HubFleet } from "../../../src/hub/hub-fleet.ts";
import { defaultExchangeLimits, Exchange } from "../../../src/rpc/http/exchange.ts";
import { callerKey, callKey, exchangeKey } from "../../../src/rpc/server/call-context.ts";
import { createRpcMetrics } from "../../../src/rpc/server/rpc-metrics.ts";
import type { AcceptStream, StreamEnd } from "../../../src/session/transport.ts";
import type { World } from "../../support/sim/world.ts";
import type { Question } from "./tunnel-judge.ts";

/** What answers a service of the hub. */
function implementationOf<S extends DescService>(hub: HubFleet, service: S): Partial<ServiceImpl<S>> {
  const entry = hub.services.find((each) => each.service === service);
  assert(entry !== undefined, `the hub serves ${service.typeName}`);
  return entry.implementation as Partial<ServiceImpl<S>>; // `serviceEntry` has checked it against its service
}

/**
 * Asks the hub for an object, as that user. Rejects as the handler does: with a FlotillaError, or with the reason of a
 * caller who left.
 */
export async function getObject(hub: HubFleet, world: World, question: Question, signal: AbortSignal): Promise<string> {
  const { user, groups, cluster, resource: kind, namespace, name } = question;
  const contextValues = createContextValues()
    .set(callKey, { requestId: user, log: world.trace.logger("hub") })
    .set(callerKey, { tokenId: user, subject: { user, groups }, ended: signal });
  const method = QueryService.method.getObject;
  const context = createHandlerContext({
    ...call,
    service: QueryService,
    method,
    requestSignal: signal,
    contextValues,
  });
  const answer = implementationOf(hub, QueryService).getObject;
  assert(answer !== undefined, "the hub answers GetObject");
  const { object = "" } = await answer(create(GetObjectRequestSchema, { cluster, kind, namespace, name }), context);
  return object;
}

const call = { protocolName: "grpc", requestMethod: "POST", url: "https://hub.test/" };

export interface AcceptTunnelsOptions {
  readonly world: World;
  readonly random: SeededRandom;
  /** The hub's process ends, and with it everything that it serves. */
  readonly stopped: AbortSignal;
}

/** Takes streams of the simulated network as calls of Tunnel. */
export function acceptTunnels(hub: HubFleet, options: AcceptTunnelsOptions): AcceptStream {
  const serve = implementationOf(hub, SessionService).tunnel;
  assert(serve !== undefined, "the hub serves Tunnel");
  const contextValues = createContextValues().set(exchangeKey, createExchange(options.world));
  const carry = async (end: StreamEnd): Promise<void> => {
    const broken = new AbortController();
    const stop = new FlotillaError("UNAVAILABLE", "the hub stops");
    const unlisten = onAbort(options.stopped, () => end.close(stop));
    const looksOrderly = options.random.int(2) === 0;
    void end.closed.then((ending) => {
      if (ending.kind === "failed" && !looksOrderly) broken.abort(ending.error);
    });
    const { signal: requestSignal } = broken;
    const method = SessionService.method.tunnel;
    const context = createHandlerContext({ ...call, service: SessionService, method, requestSignal, contextValues });
    try {
      for await (const message of serve(requestsOf(end, looksOrderly), context))
        await end.send(toBinary(TunnelResponseSchema, create(TunnelResponseSchema, message)));
      end.close();
    } catch (reason) {
      end.close(toFlotillaError(reason));
    } finally {
      unlisten();
      context.abort(stop);
    }
  };
  return (end) => void carry(end);
}

/**
 * What comes on the stream. One that breaks may look as one that ends: Node ends its half of an HTTP/2 stream before it
 * resets it (TU9).
 */
async function* requestsOf(end: StreamEnd, looksOrderly: boolean): AsyncGenerator<TunnelRequest> {
  try {
    for await (const bytes of end.receive) yield fromBinary(TunnelRequestSchema, bytes);
  } catch (reason) {
    if (!looksOrderly) throw new ConnectError(toFlotillaError(reason).message, Code.Unavailable);
  }
}

/** Where calls come from as far as the handler can tell: nowhere. */
function createExchange({ clock, trace }: World): Exchange {
  const request = new IncomingMessage(new Socket());
  const metrics = createRpcMetrics(silentMetrics);
  const log = trace.logger("hub");
  return new Exchange(request, new ServerResponse(request), {
    requestId: "",
    context: { clock, log, metrics, limits: defaultExchangeLimits, guard: passingGuard },
    noteAuthenticated: () => undefined,
  });
}
