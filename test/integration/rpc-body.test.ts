// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest } from "node:http";
import { connect } from "node:http2";
import { describe, expect, test } from "vitest";
import { ManualClock, settle } from "../../src/base/testing/manual-clock.ts";
import { advanceUntil } from "../../src/rpc/testing/advance.ts";
import { callMethod, textsOf } from "../../src/rpc/testing/call.ts";
import { echoEntry } from "../../src/rpc/testing/echo-handlers.ts";
import { echoMethod } from "../../src/rpc/testing/echo-service.ts";
import { connectPlain, connectSecure } from "../../src/rpc/testing/raw-peer.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";

const echo = echoEntry({
  echo: (text) => `${text.length}`,
  collect: async (texts) => String((await Array.fromAsync(texts)).length),
});
const echoPath = "/flotilla.test.v1.EchoService/Echo";
const postEcho = {
  ":method": "POST",
  ":path": echoPath,
  "content-type": "application/json",
  authorization: "Bearer root",
};
const hundredMegabytes = 100 * 1_048_576;

/** Sends this much by HTTP/1.1 in pieces, and stops when the answer comes. */
function upload(
  hub: TestHub,
  options: { byteCount: number; declared: boolean },
): Promise<{ status: number; body: string; sentBytes: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string; sentBytes: number }>();
  const piece = Buffer.alloc(65_536, 0x20);
  let sentBytes = 0;
  let isAnswered = false;
  const request = httpRequest(`${hub.plainUrl}${echoPath}`, {
    method: "POST",
    headers: {
      authorization: "Bearer root",
      "content-type": "application/json",
      ...(options.declared ? { "content-length": options.byteCount } : { "transfer-encoding": "chunked" }),
    },
  });
  request.on("response", (response) => {
    isAnswered = true;
    let body = "";
    response.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    response.on("end", () => {
      resolve({ status: response.statusCode ?? 0, body, sentBytes });
      request.destroy();
    });
  });
  request.on("error", reject);
  const send = (): void => {
    if (isAnswered) return;
    if (sentBytes >= options.byteCount) {
      request.end();
      return;
    }
    sentBytes += piece.length;
    request.write(piece, () => send());
  };
  send();
  return promise;
}

describe("[RP25] a body of 100 MB", () => {
  test.each([true, false])(
    "is refused over HTTP/1.1 long before it is sent (length declared: %s), and memory stays",
    async (declared) => {
      await using hub = await openTestHub({ services: [echo] });
      const before = process.memoryUsage();
      const { status, body, sentBytes } = await upload(hub, { byteCount: hundredMegabytes, declared });
      const after = process.memoryUsage();
      expect(status).toBe(429);
      expect(JSON.parse(body)).toMatchObject({ code: "resource_exhausted" });
      expect(body).toMatch(/the request is over the limit of \d+ bytes/);
      expect(sentBytes).toBeLessThan(20 * 1_048_576);
      expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(32 * 1_048_576);
      expect(textsOf(await callMethod(hub.transport("root"), echoMethod("Echo"), { text: "still here" }))).toEqual([
        "10",
      ]);
    },
  );

  test("is refused unsent to a client that asks first with Expect: 100-continue", async () => {
    await using hub = await openTestHub({ services: [echo] });
    const peer = await connectPlain(hub.plainUrl);
    peer.socket.write(
      `POST ${echoPath} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer root\r\ncontent-type: application/json\r\n` +
        `content-length: ${hundredMegabytes}\r\nexpect: 100-continue\r\n\r\n`,
    );
    await peer.until("resource_exhausted");
    expect(peer.received()).toMatch(/^HTTP\/1\.1 429 /);
    expect(await peer.closed).not.toContain("100 Continue"); // and the hub hangs up by itself
  });

  test("is refused over HTTP/2 by size of the message, as Connect and as one gRPC envelope", async () => {
    await using hub = await openTestHub({ services: [echo] });
    const text = "x".repeat(16 * 1_048_576);
    const transport = hub.transport("root");
    await expect(callMethod(transport, echoMethod("Echo"), { text })).rejects.toMatchObject({ code: "TOO_LARGE" });
    const session = connect(hub.url, { ca: hub.ca });
    const stream = session.request({
      ":method": "POST",
      ":path": echoPath,
      "content-type": "application/grpc",
      authorization: "Bearer root",
      te: "trailers",
    });
    const envelope = Buffer.alloc(5);
    envelope.writeUInt32BE(hundredMegabytes, 1);
    stream.write(envelope);
    const trailers = await new Promise<Record<string, unknown>>((resolve) => {
      stream.once("trailers", resolve);
      stream.resume();
    });
    expect(trailers["grpc-status"]).toBe("8");
    await new Promise((resolve) => stream.once("close", resolve)); // the hub resets what is still open
    session.close();
  });

  test("unpacked from a small compressed one is refused too", async () => {
    await using hub = await openTestHub({ services: [echo] });
    const { gzipSync } = await import("node:zlib");
    const answer = await fetch(`${hub.plainUrl}${echoPath}`, {
      method: "POST",
      headers: { authorization: "Bearer root", "content-type": "application/json", "content-encoding": "gzip" },
      body: gzipSync(Buffer.alloc(32 * 1_048_576, 0x20)),
    });
    expect(answer.status).toBe(429);
    expect(await answer.json()).toMatchObject({ code: "resource_exhausted" });
  });
});

/** No PING falls due within these tests, whose virtual time runs faster than real peers answer. */
const noPing = { pingIntervalMs: 1e9, pingTimeoutMs: 1e8 };

describe("[RP8] a body that trickles", () => {
  test.each([
    ["HTTP/1.1", (hub: TestHub) => connectPlain(hub.plainUrl)],
    ["HTTP/1.1 over TLS", (hub: TestHub) => connectSecure(hub.url, "http/1.1", hub.ca)],
  ])("over %s is answered with deadline_exceeded and its connection closed", async (_name, open) => {
    const clock = new ManualClock();
    await using hub = await openTestHub({ clock, limits: noPing, services: [echo] });
    const peer = await open(hub);
    peer.socket.write(
      `POST ${echoPath} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer root\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n"a`,
    );
    expect(await advanceUntil(clock, peer.until("deadline_exceeded"))).toBeGreaterThanOrEqual(30_000);
    await advanceUntil(clock, peer.closed);
    expect(peer.received()).toContain("the request did not arrive completely within 30000 ms");
    expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="body"}')).toBe(1);
  });

  test("over HTTP/2 is answered with deadline_exceeded and its stream reset; the connection serves on", async () => {
    const clock = new ManualClock();
    await using hub = await openTestHub({ clock, limits: noPing, services: [echo] });
    const session = connect(hub.url, { ca: hub.ca });
    const stream = session.request(postEcho);
    stream.write('"a');
    let body = "";
    const answered = new Promise<void>((resolve) => {
      stream.on("data", (chunk: Buffer) => {
        body += chunk.toString();
        resolve();
      });
    });
    const closed = new Promise((resolve) => stream.once("close", resolve));
    expect(await advanceUntil(clock, answered)).toBeGreaterThanOrEqual(30_000);
    expect(JSON.parse(body)).toMatchObject({ code: "deadline_exceeded" });
    await advanceUntil(clock, closed);
    expect(stream.rstCode).toBe(0);
    expect(session.closed).toBe(false);
    session.destroy();
  });
});

describe("[RP10] a peer that does not take its answer", () => {
  test("over HTTP/2 has its stream cancelled at the deadline", async () => {
    const clock = new ManualClock();
    await using hub = await openTestHub({ clock, limits: noPing, services: [echo] });
    const session = connect(hub.url, { ca: hub.ca, settings: { initialWindowSize: 0 } });
    const stream = session.request(postEcho);
    stream.on("error", () => undefined);
    stream.end('"hello"');
    await new Promise((resolve) => stream.once("response", resolve));
    const closed = new Promise((resolve) => stream.once("close", resolve));
    expect(await advanceUntil(clock, closed)).toBeGreaterThanOrEqual(30_000);
    expect(stream.rstCode).toBe(8);
    expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="answer"}')).toBe(1);
    session.destroy();
  });

  test("is cut also when it stops reading a stream whose token is revoked", async () => {
    const clock = new ManualClock();
    let sentCount = 0;
    await using hub = await openTestHub({
      clock,
      limits: noPing,
      services: [
        echoEntry({
          async *watch() {
            for (;;) {
              sentCount += 1;
              yield "x".repeat(10_000);
            }
          },
        }),
      ],
    });
    const session = connect(hub.url, { ca: hub.ca });
    const stream = session.request({
      ...postEcho,
      ":path": "/flotilla.test.v1.EchoService/Watch",
      "content-type": "application/grpc",
    });
    stream.on("error", () => undefined);
    stream.end(Buffer.alloc(5));
    await new Promise((resolve) => stream.once("response", resolve));
    for (let before = -1, quietCount = 0; quietCount < 200; quietCount = before === sentCount ? quietCount + 1 : 0) {
      before = sentCount;
      await settle();
    }
    expect(sentCount).toBeLessThan(1_000); // a reader that stops holds the writer back, in bounded memory
    hub.tokens.revoke("root");
    const closed = new Promise((resolve) => stream.once("close", resolve));
    expect(await advanceUntil(clock, closed)).toBeGreaterThanOrEqual(30_000);
    session.destroy();
  });
});
