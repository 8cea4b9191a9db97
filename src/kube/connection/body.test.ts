// SPDX-License-Identifier: Apache-2.0
// What a reader of a body meets: backpressure, leaving, aborting, and a connection that breaks under it.
import type { Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { silentlyCollect } from "./testing/collect.ts";
import { ask, failureOf, get, neverAborted, openTestConnection, testAccess } from "./testing/test-access.ts";
import { answerJson, startTestServer } from "./testing/test-server.ts";

/** Writes as fast as the reader lets it, and counts. */
function pour(
  response: Http2ServerResponse,
  limitBytes: number,
): { readonly sentBytes: number; readonly isHeldBack: boolean } {
  const state = { sentBytes: 0, isHeldBack: false };
  let hasClosed = false;
  response.once("close", () => (hasClosed = true));
  const chunk = Buffer.alloc(16 * 1024, "x");
  const isOpen = (): boolean => !hasClosed;
  const write = (): void => {
    while (state.sentBytes < limitBytes && isOpen()) {
      state.sentBytes += chunk.length;
      if (!response.write(chunk)) {
        state.isHeldBack = true;
        response.once("drain", () => {
          state.isHeldBack = false;
          write();
        });
        return;
      }
    }
    response.end();
  };
  response.writeHead(200);
  write();
  return state;
}

test.each([{ isHttp1: false }, { isHttp1: true }])(
  "a reader that does not read holds the server back, and others go on (HTTP/1.1: $isHttp1)",
  async ({ isHttp1 }) => {
    // Sockets of the system hold up to ten megabytes, which is all that holds HTTP/1.1 back.
    const limitBytes = (isHttp1 ? 24 : 6) * 1024 * 1024;
    let poured: { readonly sentBytes: number; readonly isHeldBack: boolean } | undefined;
    await using server = await startTestServer(
      (request, response) => {
        if (request.url === "/pour") poured = pour(response, limitBytes);
        else answerJson(response, 200, {});
      },
      { isHttp1 },
    );
    await using connection = openTestConnection(testAccess(server.url));
    const answer = await connection.request(get("/pour", { isWatch: true }), neverAborted);
    const reader = answer.body[Symbol.asyncIterator]();
    expect((await reader.next()).done).toBe(false);
    await expect.poll(() => poured?.isHeldBack).toBe(true);
    for (let count = 0; count < 20; count += 1) expect(await ask(connection, "/other")).toBe("{}");
    expect(poured?.isHeldBack).toBe(true);
    expect(poured?.sentBytes).toBeLessThan(limitBytes / 2);
    let readBytes = 0;
    for (let step = await reader.next(); step.done !== true; step = await reader.next()) readBytes += step.value.length;
    expect(readBytes).toBeGreaterThan(limitBytes - 1024 * 1024);
    expect(poured?.sentBytes).toBe(limitBytes);
  },
);

test.each([{ isHttp1: false }, { isHttp1: true }])(
  "a reader that leaves, and a signal that aborts, let go of the request (HTTP/1.1: $isHttp1)",
  async ({ isHttp1 }) => {
    let openCount = 0;
    await using server = await startTestServer(
      (_request, response) => {
        openCount += 1;
        response.once("close", () => (openCount -= 1));
        response.writeHead(200).write("{}\n");
      },
      { isHttp1 },
    );
    await using connection = openTestConnection(testAccess(server.url));
    const left = await connection.request(get("/left", { isWatch: true }), neverAborted);
    for await (const part of left.body) {
      expect(part.length).toBe(3);
      expect(openCount).toBe(1);
      break;
    }
    await expect.poll(() => openCount).toBe(0);
    const stop = new AbortController();
    const reason = new Error("enough");
    const reading = await connection.request(get("/reading", { isWatch: true }), stop.signal);
    const waiting = await connection.request(get("/waiting"), stop.signal);
    const collected = silentlyCollect(reading.body);
    await expect.poll(() => collected.parts.length).toBe(1);
    stop.abort(reason);
    expect(await failureOf(collected.ended)).toBe(reason);
    expect(await failureOf(silentlyCollect(waiting.body).ended)).toBe(reason);
    await expect.poll(() => openCount).toBe(0);
    expect(await failureOf(connection.request(get("/late"), stop.signal))).toBe(reason);
  },
);

test("an answer that breaks off is never taken for a whole one", async () => {
  const streams: ServerHttp2Stream[] = [];
  const told: string[] = [];
  await using server = await startTestServer((_request, response) => {
    streams.push(response.stream);
    response.writeHead(200).write('{"items":[');
  });
  await using connection = openTestConnection(testAccess(server.url), {
    observer: { answered: () => told.push("answered"), failed: (_request, error) => told.push(error.fault) },
  });
  const breakings: ((stream: ServerHttp2Stream) => void)[] = [
    (stream) => stream.close(2),
    (stream) => stream.close(8),
    (stream) => stream.session?.destroy(),
    (stream) => stream.session?.goaway(2),
    () => [...server.sockets][0]?.destroy(),
    () => [...server.sockets][0]?.resetAndDestroy(),
  ];
  for (const breakOff of breakings) {
    const answer = await connection.request(get("/list"), neverAborted);
    const { ended, parts } = silentlyCollect(answer.body);
    await expect.poll(() => parts.length).toBe(1);
    breakOff(streams.pop()!);
    expect(await failureOf(ended)).toMatchObject({ fault: "tcp" });
  }
  expect(told).toEqual(breakings.map(() => "tcp"));
});

test("an answer over HTTP/1.1 that breaks off is never taken for a whole one", async () => {
  await using server = await startTestServer(
    (_request, response) => {
      response.writeHead(200).write('{"items":[');
    },
    { isHttp1: true },
  );
  await using connection = openTestConnection(testAccess(server.url));
  for (const end of ["destroy", "resetAndDestroy"] as const) {
    const answer = await connection.request(get("/list"), neverAborted);
    const { ended, parts } = silentlyCollect(answer.body);
    await expect.poll(() => parts.length).toBe(1);
    for (const socket of server.sockets) socket[end]();
    expect(await failureOf(ended)).toMatchObject({ fault: "tcp" });
  }
});

test("a compressed answer whose connection breaks fails, and one that is left or aborted lets go", async () => {
  const text = Array.from({ length: 200_000 }, (_, index) => index).join();
  const compressed = gzipSync(text);
  let openCount = 0;
  await using server = await startTestServer((_request, response) => {
    openCount += 1;
    response.once("close", () => (openCount -= 1));
    response.writeHead(200, { "content-encoding": "gzip" }).write(compressed.subarray(0, compressed.length / 2));
  });
  await using connection = openTestConnection(testAccess(server.url));
  const stop = new AbortController();
  const reason = new Error("enough");
  const left = await connection.request(get("/left"), neverAborted);
  for await (const part of left.body) {
    expect(part.length).toBeGreaterThan(0);
    break;
  }
  await expect.poll(() => openCount).toBe(0);
  const aborted = silentlyCollect((await connection.request(get("/aborted"), stop.signal)).body);
  await expect.poll(() => aborted.parts.length).toBeGreaterThan(0);
  stop.abort(reason);
  expect(await failureOf(aborted.ended)).toBe(reason);
  const broken = silentlyCollect((await connection.request(get("/broken"), neverAborted)).body);
  await expect.poll(() => broken.parts.length).toBeGreaterThan(0);
  for (const socket of server.sockets) socket.destroy();
  expect(await failureOf(broken.ended)).toMatchObject({ fault: "tcp" });
});
