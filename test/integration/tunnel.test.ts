// SPDX-License-Identifier: Apache-2.0
// Tunnels on real TLS: what is asked and answered, and what that does to the session beside it.
import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ConnectRequestSchema, ConnectResponseSchema } from "../../src/gen/flotilla/session/v1/session_pb.ts";
import { createSessionTransport } from "../../src/rpc/session/session-transport.ts";
import type { StreamEnd } from "../../src/session/transport.ts";
import { maxObjectBytes, maxTunnelsOfCluster } from "../../src/session/tunnel/tunnel.ts";
import { openTunnelBench, partBytes } from "../support/tunnel-bench.ts";

const never = new AbortController().signal;

/** Bytes of which no two neighbours are the same, so that none can be lost or out of place unseen. */
function someBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 8)) & 0xff;
  return bytes;
}

function beat(number: bigint): Uint8Array {
  const message = { case: "heartbeat", value: { number } } as const;
  return toBinary(ConnectRequestSchema, create(ConnectRequestSchema, { message }));
}

function answer(number: bigint): Uint8Array {
  const message = { case: "heartbeatAnswer", value: { number } } as const;
  return toBinary(ConnectResponseSchema, create(ConnectResponseSchema, { message }));
}

async function receive(end: StreamEnd): Promise<Uint8Array | undefined> {
  for await (const message of end.receive) return message;
  return undefined;
}

test("[TU1][TU9] the answer is what the API server sent, byte by byte, whatever its length; the agent dials only when asked, and once", async () => {
  await using bench = await openTunnelBench();
  expect(bench.tunnelsFrom).toEqual([]);
  for (const length of [0, 1, partBytes - 1, partBytes, partBytes + 1, 3 * partBytes, maxObjectBytes]) {
    const body = someBytes(length);
    bench.setReader(async () => body);
    expect(Buffer.compare(await bench.ask("cart"), body)).toBe(0);
  }
  expect(bench.tunnelsFrom).toHaveLength(7);
  expect(new Set(bench.tunnelsFrom).size).toBe(1);
  await bench.untilQuiet();
});

test("[TU5] an agent that sends one byte more than an object may have is told off, and whoever asked gets nothing of it", async () => {
  await using bench = await openTunnelBench();
  bench.setReader(async () => someBytes(maxObjectBytes + 1));
  await expect(bench.ask("cart")).rejects.toMatchObject({ code: "TOO_LARGE" });
  bench.setReader(async () => Buffer.from("{}"));
  expect(String(await bench.ask("cart"))).toBe("{}");
  await bench.untilQuiet();
});

test("a whole object stands before no message of the session: it is on a connection of its own", async () => {
  await using bench = await openTunnelBench();
  const session = await createSessionTransport(bench.wire).dial(never);
  await session.send(beat(0n));
  await expect.poll(() => bench.sessions.length).toBe(1);
  const [accepted = expect.unreachable()] = bench.sessions;
  await receive(accepted.end);
  const over = Promise.withResolvers<void>();
  bench.holdBodies(over.promise);
  bench.setReader(async () => someBytes(maxObjectBytes));
  let isAnswered = false;
  const asked = bench.ask("cart").finally(() => {
    isAnswered = true;
  });
  await expect.poll(() => bench.tunnelsFrom.length).toBe(1);
  expect(bench.tunnelsFrom[0]).not.toBe(accepted.from);
  for (let number = 1n; number <= 200n; number += 1n) {
    await session.send(beat(number));
    expect(await receive(accepted.end)).toEqual(beat(number));
    await accepted.end.send(answer(number));
    expect(await receive(session)).toEqual(answer(number));
  }
  expect(isAnswered).toBe(false);
  over.resolve();
  expect((await asked).length).toBe(maxObjectBytes);
  session.close();
});

test("[TU5] as many tunnels as a cluster may have are open at a time on one connection, each with its own answer; one more is told to try again", async () => {
  await using bench = await openTunnelBench();
  const names = Array.from({ length: maxTunnelsOfCluster }, (_, at) => `pod-${at}`);
  const gate = Promise.withResolvers<void>();
  let readingCount = 0;
  bench.setReader(async ({ name }) => {
    readingCount += 1;
    await gate.promise;
    return Buffer.from(name.repeat(20_000));
  });
  for (let round = 1; round <= 3; round += 1) {
    const asked = names.map((name) => bench.ask(name));
    await expect(bench.ask("one-more")).rejects.toMatchObject({ code: "OVERLOADED" });
    await expect.poll(() => readingCount).toBe(round * names.length);
    gate.resolve();
    const answers = (await Promise.all(asked)).map(String);
    expect(answers).toEqual(names.map((name) => name.repeat(20_000)));
    await bench.untilQuiet();
  }
  expect(bench.tunnelsFrom).toHaveLength(3 * names.length);
  expect(new Set(bench.tunnelsFrom).size).toBe(1);
  expect(bench.agentLog.lines.filter(({ level }) => level !== "info")).toEqual([]);
});

test("[TU4] whoever leaves in the middle ends it at both ends: the request to the API server, the stream, and every timer", async () => {
  await using bench = await openTunnelBench();
  const asked = Promise.withResolvers<AbortSignal>();
  bench.setReader((_read, signal) => {
    asked.resolve(signal);
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
  const leaving = new AbortController();
  const answered = bench.ask("cart", leaving.signal);
  const signal = await asked.promise;
  expect(signal.aborted).toBe(false);
  const reason = new Error("the page was closed");
  leaving.abort(reason);
  await expect(answered).rejects.toBe(reason);
  await expect.poll(() => signal.aborted).toBe(true);
  await bench.untilQuiet();
  expect(bench.hubLog.lines.at(-1)?.fields).toMatchObject({ name: "cart", user: "ann", outcome: "left" });
});

test("[TU4] whoever leaves while the answer is on its way harms nobody: the next one is answered on the same connection", async () => {
  await using bench = await openTunnelBench();
  const over = Promise.withResolvers<void>();
  bench.holdBodies(over.promise);
  bench.setReader(async () => someBytes(maxObjectBytes));
  const leaving = new AbortController();
  const answered = bench.ask("cart", leaving.signal);
  await expect.poll(() => bench.tunnelsFrom.length).toBe(1);
  leaving.abort(new Error("the page was closed"));
  await expect(answered).rejects.toThrow("the page was closed");
  await bench.untilQuiet();
  over.resolve();
  expect((await bench.ask("cart")).length).toBe(maxObjectBytes);
  expect(new Set(bench.tunnelsFrom).size).toBe(1);
});

test("[TU2] a session that ends ends its tunnels, also while the API server is being asked", async () => {
  await using bench = await openTunnelBench();
  const asked = Promise.withResolvers<AbortSignal>();
  bench.setReader((_read, signal) => {
    asked.resolve(signal);
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
  const answered = bench.ask("cart");
  const signal = await asked.promise;
  bench.endSession();
  await expect(answered).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect.poll(() => signal.aborted).toBe(true);
  await bench.untilQuiet();
});

test("[TU9][TU11] both ends write down who asked for what and what came of it, and neither any value of the object", async () => {
  await using bench = await openTunnelBench();
  bench.setReader(async () => Buffer.from("kept-in-the-cluster"));
  expect(String(await bench.ask("cart"))).toBe("kept-in-the-cluster");
  const fields = {
    tunnel: bench.offers[0]?.tunnelId,
    user: "ann",
    resource: "pods",
    namespace: "shop",
    name: "cart",
    outcome: "OK",
  };
  await expect.poll(() => bench.agentLog.lines.at(-1)?.fields).toMatchObject(fields);
  expect(bench.hubLog.lines.at(-1)?.fields).toMatchObject({ ...fields, cluster: "east" });
  const logged = JSON.stringify([bench.hubLog.lines, bench.agentLog.lines]);
  expect(logged).not.toContain("kept-in-the-cluster");
  expect(logged).not.toContain("people");
});
