// SPDX-License-Identifier: Apache-2.0
// The port of the session (src/session/transport.ts) as real sockets carry it.
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../src/base/error.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { ConnectRequestSchema, ConnectResponseSchema } from "../../src/gen/flotilla/session/v1/session_pb.ts";
import { createSessionService } from "../../src/rpc/session/session-service.ts";
import { createSessionTransport } from "../../src/rpc/session/session-transport.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";
import type { SessionTransport, StreamEnd } from "../../src/session/transport.ts";

const never = new AbortController().signal;

function heartbeat(number: bigint): Uint8Array {
  return toBinary(
    ConnectRequestSchema,
    create(ConnectRequestSchema, { message: { case: "heartbeat", value: { number } } }),
  );
}

function answer(number: bigint): Uint8Array {
  const message = { case: "heartbeatAnswer", value: { number } } as const;
  return toBinary(ConnectResponseSchema, create(ConnectResponseSchema, { message }));
}

function numberIn(bytes: Uint8Array | undefined): bigint | undefined {
  const { message } = fromBinary(ConnectRequestSchema, bytes ?? new Uint8Array());
  return message.case === "heartbeat" ? message.value.number : undefined;
}

async function next(end: StreamEnd): Promise<Uint8Array | undefined> {
  for await (const message of end.receive) return message;
  return undefined;
}

interface Bench extends AsyncDisposable {
  readonly hub: TestHub;
  readonly transport: SessionTransport;
  /** A stream and the hub's end of it. */
  open(): Promise<{ readonly agent: StreamEnd; readonly accepted: StreamEnd; readonly from: string }>;
}

async function openBench(): Promise<Bench> {
  let arrived = Promise.withResolvers<{ accepted: StreamEnd; from: string }>();
  const join = (): never => {
    throw new FlotillaError("UNAUTHENTICATED", "the join token is unknown");
  };
  const service = createSessionService({
    accept: (accepted, from, noteProven) => {
      noteProven?.();
      arrived.resolve({ accepted, from });
    },
    acceptTunnel: (end) => end.close(),
    join,
  });
  const hub = await openTestHub({ services: [service] });
  const transport = createSessionTransport({
    url: hub.url,
    ca: hub.ca,
    clock: systemClock,
    connectTimeoutMs: 10_000,
    maxMessageBytes: 4_000_000,
  });
  return {
    hub,
    transport,
    async open() {
      arrived = Promise.withResolvers();
      const agent = await transport.dial(never);
      const first = agent.send(heartbeat(0n));
      const { accepted, from } = await arrived.promise;
      await next(accepted);
      await first;
      return { agent, accepted, from };
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}

describe("a session's stream", () => {
  test("[N-22] carries messages both ways, in order, without a token", async () => {
    await using bench = await openBench();
    const { agent, accepted, from } = await bench.open();
    expect(from).toMatch(/^127\.0\.0\.1:\d+$/);
    for (const number of [1n, 2n, 3n]) {
      await agent.send(heartbeat(number));
      expect(numberIn(await next(accepted))).toBe(number);
      await accepted.send(answer(number));
      expect(await next(agent)).toEqual(answer(number));
    }
    agent.close();
    expect(await next(accepted)).toBeUndefined();
    expect(await accepted.closed).toEqual({ kind: "ended" });
  });

  test("ended in order by the agent delivers everything sent before", async () => {
    await using bench = await openBench();
    const { agent, accepted } = await bench.open();
    const sent = [1n, 2n, 3n].map((number) => agent.send(heartbeat(number)));
    agent.close();
    const received: (bigint | undefined)[] = [];
    for await (const message of accepted.receive) received.push(numberIn(message));
    expect(received).toEqual([1n, 2n, 3n]);
    await Promise.all(sent);
    await expect(agent.send(heartbeat(4n))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("ended in order by the hub ends the agent's side", async () => {
    await using bench = await openBench();
    const { agent, accepted } = await bench.open();
    accepted.close();
    expect(await next(agent)).toBeUndefined();
    expect(await agent.closed).toEqual({ kind: "ended" });
  });

  test("broken off by the hub fails at the agent with the hub's reason", async () => {
    await using bench = await openBench();
    const { agent, accepted } = await bench.open();
    accepted.close(new FlotillaError("FENCED", "a newer session has taken over"));
    await expect(next(agent)).rejects.toMatchObject({ code: "FENCED", message: "a newer session has taken over" });
    expect(await agent.closed).toMatchObject({ kind: "failed", error: { code: "FENCED" } });
  });

  test("broken off by the agent ends at the hub, also while nobody reads there", async () => {
    await using bench = await openBench();
    const { agent, accepted } = await bench.open();
    agent.close(new FlotillaError("DEADLINE_EXCEEDED", "no heartbeat was answered"));
    await accepted.closed;
    await expect(accepted.send(answer(9n))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("[L13] holds its sender back while the other side does not read, and loses nothing", async () => {
    await using bench = await openBench();
    const { agent, accepted } = await bench.open();
    const large = toBinary(
      ConnectRequestSchema,
      create(ConnectRequestSchema, { message: { case: "chunk", value: { bytes: new Uint8Array(1_000_000) } } }),
    );
    let sentCount = 0;
    const sending = Array.from({ length: 20 }, async () => {
      await agent.send(large);
      sentCount += 1;
    });
    await next(accepted);
    const sentEarly = sentCount;
    let receivedCount = 1;
    for await (const _message of accepted.receive) {
      receivedCount += 1;
      if (receivedCount === 20) break;
    }
    await Promise.all(sending);
    expect(sentEarly).toBeLessThan(20);
    agent.close();
  });
});

describe("dialling a hub", () => {
  test("where nothing listens is refused by name", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    server.close();
    await once(server, "close");
    const url = `https://127.0.0.1:${port}`;
    const transport = createSessionTransport({
      url,
      clock: systemClock,
      connectTimeoutMs: 10_000,
      maxMessageBytes: 4_000_000,
    });
    await expect(transport.dial(never)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: `the hub at ${url} cannot be reached: nothing listens there`,
    });
  });

  test("whose certificate another CA signed is CERTIFICATE_INVALID", async () => {
    await using bench = await openBench();
    await using other = await openTestHub();
    const transport = createSessionTransport({
      url: bench.hub.url,
      ca: other.ca,
      clock: systemClock,
      connectTimeoutMs: 10_000,
      maxMessageBytes: 4_000_000,
    });
    await expect(transport.dial(never)).rejects.toMatchObject({ code: "CERTIFICATE_INVALID" });
  });

  test("[N-43] that swallows packets ends after the connect timeout", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const clock = new ManualClock();
    const url = `https://127.0.0.1:${port}`;
    const transport = createSessionTransport({ url, clock, connectTimeoutMs: 10_000, maxMessageBytes: 4_000_000 });
    const dialling = transport.dial(never);
    const refused = expect(dialling).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    await once(server, "connection");
    await clock.advance(10_000);
    await refused;
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });

  test("can be given up", async () => {
    await using bench = await openBench();
    const stop = new AbortController();
    const reason = new Error("the agent is closing");
    stop.abort(reason);
    await expect(bench.transport.dial(stop.signal)).rejects.toBe(reason);
  });
});
