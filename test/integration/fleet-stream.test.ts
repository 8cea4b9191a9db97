// SPDX-License-Identifier: Apache-2.0
// A session's stream that ends while a message is being sent: the send fails. Otherwise the agent would wait for ever.
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../src/base/error.ts";
import { ManualClock, settle } from "../../src/base/testing/manual-clock.ts";
import { ConnectRequestSchema } from "../../src/gen/flotilla/session/v1/session_pb.ts";
import { createSessionService } from "../../src/rpc/session/session-service.ts";
import { createSessionTransport } from "../../src/rpc/session/session-transport.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";
import type { StreamEnd } from "../../src/session/transport.ts";
import { TcpProxy } from "../e2e/fleet/tcp-proxy.ts";

const message = toBinary(
  ConnectRequestSchema,
  create(ConnectRequestSchema, { message: { case: "chunk", value: { bytes: new Uint8Array(1_000_000) } } }),
);

/** More than a connection takes while nobody reads at its other end. */
const messageCount = 30;

interface Stuck extends AsyncDisposable {
  readonly hub: TestHub;
  readonly proxy: TcpProxy;
  readonly clock: ManualClock;
  readonly agent: StreamEnd;
  readonly accepted: StreamEnd;
  /** The outcome of each message that did not go out. */
  readonly outcomes: Promise<readonly string[]>;
}

/** An agent whose hub does not read: what it sends waits, one message of it within the wire. */
async function openStuck(): Promise<Stuck> {
  const arrived = Promise.withResolvers<StreamEnd>();
  const join = (): never => {
    throw new FlotillaError("UNAUTHENTICATED", "the join token is unknown");
  };
  const service = createSessionService({
    accept: (end, _from, noteProven) => {
      noteProven?.();
      arrived.resolve(end);
    },
    acceptTunnel: (end) => end.close(),
    join,
  });
  const hub = await openTestHub({ services: [service] });
  const proxy = await TcpProxy.open(Number(new URL(hub.url).port));
  const clock = new ManualClock();
  const url = `https://127.0.0.1:${proxy.port}`;
  const options = { url, ca: hub.ca, clock, connectTimeoutMs: 10_000, maxMessageBytes: 4_000_000 };
  const agent = await createSessionTransport(options).dial(new AbortController().signal);
  let isGoingOut = true;
  const sent = Array.from({ length: messageCount }, async () => {
    try {
      await agent.send(message);
      return "sent";
    } catch (reason) {
      return reason instanceof FlotillaError ? reason.code : "a bug";
    } finally {
      isGoingOut = true;
    }
  });
  const accepted = await arrived.promise;
  await sent[0];
  while (isGoingOut) {
    isGoingOut = false;
    for (let turn = 0; turn < 200; turn += 1) await settle();
  }
  return {
    hub,
    proxy,
    clock,
    agent,
    accepted,
    outcomes: Promise.all(sent),
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await hub[Symbol.asyncDispose]();
    },
  };
}

describe("[lesson navigator-7.1.2] a message that is half way out when the stream ends is refused, not waited for", () => {
  test("where the network breaks", async () => {
    await using stuck = await openStuck();
    stuck.proxy.set("reset");
    expect(new Set(await stuck.outcomes)).toEqual(new Set(["sent", "UNAVAILABLE"]));
  });

  test("where the agent itself breaks it off, as it does when no heartbeat is answered", async () => {
    await using stuck = await openStuck();
    stuck.agent.close(new FlotillaError("DEADLINE_EXCEEDED", "no heartbeat was answered"));
    expect(new Set(await stuck.outcomes)).toEqual(new Set(["sent", "UNAVAILABLE"]));
  });

  test("where the hub breaks it off", async () => {
    await using stuck = await openStuck();
    stuck.accepted.close(new FlotillaError("FENCED", "a newer session has taken over"));
    expect(new Set(await stuck.outcomes)).toEqual(new Set(["sent", "UNAVAILABLE"]));
  });

  test("where it ends in order and the hub does not read the rest: after the time that it has for that", async () => {
    await using stuck = await openStuck();
    stuck.agent.close();
    await stuck.clock.advance(5_000);
    expect(new Set(await stuck.outcomes)).toEqual(new Set(["sent", "UNAVAILABLE"]));
  });
});
