// SPDX-License-Identifier: Apache-2.0
import { connect } from "node:http2";
import { describe, expect, test } from "vitest";
import { ManualClock, settle } from "../../src/base/testing/manual-clock.ts";
import type { EndpointOptions } from "../../src/rpc/server/endpoint.ts";
import { callMethod, textsOf } from "../../src/rpc/testing/call.ts";
import { echoEntry } from "../../src/rpc/testing/echo-handlers.ts";
import { echoMethod } from "../../src/rpc/testing/echo-service.ts";
import {
  connectPlain,
  connectSecure,
  frameType,
  http2Frame,
  http2Preface,
  type RawPeer,
} from "../../src/rpc/testing/raw-peer.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";

const echo = echoEntry({ echo: (text) => text });

describe("[RP7] a peer that stalls", () => {
  /**
   * Node's own deadline for the headers of HTTP/1.1 runs in real time. That of the handshake is on the hub's clock,
   * which stands still.
   */
  const soon = (): Pick<EndpointOptions, "limits" | "clock"> => ({
    limits: { headersTimeoutMs: 60 },
    clock: new ManualClock(),
  });

  test("before its TLS handshake is over is closed at the deadline, however it trickles", async () => {
    const clock = new ManualClock();
    await using hub = await openTestHub({ clock });
    const peer = await connectPlain(hub.url);
    while (hub.metrics.value('flotilla_rpc_connections{listener="tls"}') === 0) await settle(); // its time begins
    peer.socket.write(Buffer.from([0x16, 0x03, 0x01]));
    await clock.advance(9_000);
    peer.socket.write(Buffer.from([0x02]));
    expect(peer.socket.destroyed).toBe(false);
    await clock.advance(1_000);
    await peer.closed;
    expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="handshake"}')).toBe(1);
  });

  test.each([
    ["plain", (hub: TestHub) => connectPlain(hub.plainUrl)],
    ["TLS", (hub: TestHub) => connectSecure(hub.url, "http/1.1", hub.ca)],
  ])("within HTTP/1.1 headers over %s gets 408 and is closed", async (_name, open) => {
    await using hub = await openTestHub(soon());
    const peer = await open(hub);
    peer.socket.write("POST /livez HTTP/1.1\r\nhost: localhost\r\nx-slow: ");
    expect(await peer.closed).toMatch(/^HTTP\/1\.1 408 .*the headers did not arrive in time/s);
    expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="headers"}')).toBe(1);
  });

  test("before it has sent anything at all is closed, on both listeners", async () => {
    await using hub = await openTestHub(soon());
    const peers = [await connectPlain(hub.plainUrl), await connectSecure(hub.url, "http/1.1", hub.ca)];
    const received = await Promise.all(peers.map((peer) => peer.closed));
    for (const text of received) expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  test.each([
    ["in the middle of its preface", http2Preface.slice(0, 10)],
    ["after its preface, before SETTINGS", http2Preface],
  ])("%s on HTTP/2 is closed at the deadline", async (_name, bytes) => {
    const clock = new ManualClock();
    await using hub = await openTestHub({ clock });
    const peer = await connectSecure(hub.url, "h2", hub.ca);
    peer.socket.write(bytes);
    await peer.until("\x00\x00"); // the hub's own SETTINGS: its session runs
    await clock.advance(9_999);
    expect(peer.socket.destroyed).toBe(false);
    await clock.advance(1);
    await peer.closed;
    expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="headers"}')).toBe(1);
  });
});

/** A connection that has exchanged SETTINGS with the hub. */
async function openHttp2(hub: TestHub): Promise<RawPeer> {
  const peer = await connectSecure(hub.url, "h2", hub.ca);
  peer.socket.write(Buffer.concat([Buffer.from(http2Preface), http2Frame(frameType.settings, 0, 0)]));
  await peer.until("\x00\x00\x00\x04\x01\x00\x00\x00\x00"); // the hub acknowledged our SETTINGS
  return peer;
}

describe("[RP9] an HTTP/2 connection", () => {
  test("whose peer is dead, or stalls within a header block, is found by PING and closed", async () => {
    const clock = new ManualClock();
    await using hub = await openTestHub({ clock, limits: { unauthenticated: undefined } });
    const dead = await openHttp2(hub);
    const stalled = await openHttp2(hub);
    // A HEADERS frame of 100 bytes without END_HEADERS, of which 10 are sent.
    stalled.socket.write(http2Frame(frameType.headers, 0, 1, new Uint8Array(100)).subarray(0, 19));
    await clock.advance(20_000);
    const ping = "\x00\x00\x08\x06\x00";
    await Promise.all([dead.until(ping), stalled.until(ping)]);
    await clock.advance(9_999);
    expect(dead.socket.destroyed || stalled.socket.destroyed).toBe(false);
    await clock.advance(2); // once the time is over, what waits to be read is read first
    await Promise.all([dead.closed, stalled.closed]);
    expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="ping"}')).toBe(2);
  });

  test("that answers PINGs lives while it has a stream, and is closed with GOAWAY when it was idle too long", async () => {
    const clock = new ManualClock();
    await using hub = await openTestHub({ clock, limits: { idleTimeoutMs: 50_000, unauthenticated: undefined } });
    const session = connect(hub.url, { ca: hub.ca });
    const closed = new Promise((resolve) => session.once("close", resolve));
    const goaway = new Promise((resolve) => session.once("goaway", (code: number) => resolve(code)));
    await new Promise((resolve) => session.once("remoteSettings", resolve));
    for (let pinged = 0; pinged < 2; pinged += 1) {
      const ping = new Promise((resolve) => session.once("ping", resolve));
      await clock.advance(20_000);
      await ping;
      // The hub schedules its next PING when our answer arrives; one round trip of ours is behind it.
      await new Promise((resolve) => session.ping(resolve));
      await new Promise((resolve) => session.ping(resolve));
    }
    expect(session.closed).toBe(false);
    await clock.advance(10_000);
    expect(await goaway).toBe(0);
    session.close();
    await closed;
  });

  test("[RP6] [lesson navigator-7.3.4] serves no more requests at a time than its limit; the rest wait their turn", async () => {
    const answers: (() => void)[] = [];
    const { promise: bothRun, resolve } = Promise.withResolvers<void>();
    await using hub = await openTestHub({
      limits: { maxStreamCount: 2 },
      services: [
        echoEntry({
          echo: (text) =>
            new Promise((answer) => {
              answers.push(() => answer(text));
              if (answers.length === 2) resolve();
            }),
        }),
      ],
    });
    const transport = hub.transport("root");
    await callMethod(transport, echoMethod("Anybody")).catch(() => undefined); // the limit is known from here on
    const calls = ["a", "b", "c"].map((text) => callMethod(transport, echoMethod("Echo"), { text }));
    await bothRun;
    // A round trip on another connection.
    await callMethod(hub.transport("root"), echoMethod("Anybody")).catch(() => undefined);
    expect(answers).toHaveLength(2);
    for (const answer of answers.splice(0)) answer();
    await Promise.all(calls.slice(0, 2));
    while (answers.length === 0) await new Promise((turn) => setImmediate(turn));
    answers[0]?.();
    expect(textsOf(await Promise.all(calls).then((all) => all.flat()))).toEqual(["a", "b", "c"]);
  });
});

describe("limits of a listener", () => {
  test.each([
    ["plain", (hub: TestHub) => connectPlain(hub.plainUrl)],
    ["TLS", (hub: TestHub) => connectSecure(hub.url, "http/1.1", hub.ca)],
  ])("[RP4] headers over the limit get 431 over HTTP/1.1 (%s)", async (_name, open) => {
    await using hub = await openTestHub();
    const peer = await open(hub);
    peer.socket.write(`GET /livez HTTP/1.1\r\nhost: localhost\r\nx-large: ${"x".repeat(20_000)}\r\n\r\n`);
    expect(await peer.closed).toMatch(/^HTTP\/1\.1 431 .*the headers are too large/s);
  });

  test("[RP4] headers over the limit are refused over HTTP/2, and the connection serves on", async () => {
    await using hub = await openTestHub({ services: [echo] });
    const session = connect(hub.url, { ca: hub.ca });
    const refused = session.request({ ":path": "/livez", "x-large": "x".repeat(20_000) });
    const outcome = await new Promise((resolve) => {
      refused.once("error", () => resolve("reset"));
      refused.once("response", (headers) => resolve(headers[":status"]));
      refused.resume();
    });
    expect(outcome).not.toBe(200);
    const served = session.request({ ":path": "/nothing" });
    const status = await new Promise((resolve) => served.once("response", (headers) => resolve(headers[":status"])));
    expect(status).toBe(404);
    session.destroy();
  });

  test("[RP5] one connection too many is closed at once; the others are unharmed", async () => {
    await using hub = await openTestHub({ limits: { maxConnectionCount: 1 } });
    const first = await connectPlain(hub.plainUrl);
    const second = await connectPlain(hub.plainUrl);
    await second.closed;
    first.socket.write("GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await first.until("404");
    expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="limit"}')).toBe(1);
    first.socket.destroy();
  });

  test("[RP4] bytes that are not HTTP get one sentence and are closed", async () => {
    await using hub = await openTestHub();
    const peer = await connectPlain(hub.plainUrl);
    peer.socket.write("EHLO there\r\n\r\n");
    expect(await peer.closed).toMatch(/^HTTP\/1\.1 400 .*this is not an HTTP request/s);
  });
});
