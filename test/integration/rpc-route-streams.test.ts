// SPDX-License-Identifier: Apache-2.0
import { connect } from "node:http2";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../src/base/error.ts";
import { ManualClock, settle } from "../../src/base/testing/manual-clock.ts";
import type { Route, StreamAnswer } from "../../src/rpc/http/route.ts";
import { advanceUntil } from "../../src/rpc/testing/advance.ts";
import { httpVersions, openEventReader } from "../../src/rpc/testing/event-reader.ts";
import { httpGet } from "../../src/rpc/testing/http-get.ts";
import { connectPlain } from "../../src/rpc/testing/raw-peer.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";

function streamRoute(stream: StreamAnswer["stream"], path = "/events"): Route {
  return {
    path,
    access: { kind: "authenticated" },
    handler: () => ({ status: 200, contentType: "text/event-stream", stream }),
  };
}

/** A source that yields what it is given and then waits for ever; `left` counts how often it was told to let go. */
class OpenSource {
  readonly opened = Promise.withResolvers<AbortSignal>();
  openCount = 0;
  leftCount = 0;
  readonly #pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.#pieces = pieces;
  }

  readonly stream = (signal: AbortSignal): AsyncIterable<string> => {
    this.openCount += 1;
    signal.addEventListener("abort", () => {
      this.leftCount += 1;
    });
    return this.#run(signal);
  };

  async *#run(signal: AbortSignal): AsyncIterable<string> {
    for (const piece of this.#pieces) yield piece;
    this.opened.resolve(signal);
    await new Promise<never>(() => undefined);
  }
}

const streamCount = 'flotilla_rpc_streams{method="/events"}';

/** How the request's line says that it ended. */
async function codeServed(hub: TestHub): Promise<unknown> {
  return (await hub.log.next(({ message }) => message === "request served")).fields["code"];
}

describe.each(httpVersions)("a stream of a route over %s", (version) => {
  test("[RP42] comes as it is made, with the headers of every answer and none that lets a proxy keep it back", async () => {
    const source = new OpenSource(["data: 1\n\n", "", "data: é\n\n"]);
    await using hub = await openTestHub({ routes: [streamRoute(source.stream)] });
    using reader = await openEventReader(hub, "/events", { version });
    expect(reader.status).toBe(200);
    expect(reader.headers).toMatchObject({
      "content-type": "text/event-stream",
      "x-accel-buffering": "no",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    expect(reader.headers["content-length"]).toBeUndefined();
    expect(await reader.until((text) => text.endsWith("é\n\n"))).toBe("data: 1\n\ndata: é\n\n");
  });

  test("[RP42] sends its headers before its first piece", async () => {
    const source = new OpenSource([]);
    await using hub = await openTestHub({ routes: [streamRoute(source.stream)] });
    using reader = await openEventReader(hub, "/events", { version });
    expect(reader.status).toBe(200);
    expect(reader.text()).toBe("");
  });

  test("[RP42] is not opened for HEAD, which gets the headers", async () => {
    const source = new OpenSource(["data: 1\n\n"]);
    await using hub = await openTestHub({ routes: [streamRoute(source.stream)] });
    using reader = await openEventReader(hub, "/events", { version, method: "HEAD" });
    expect(reader.headers).toMatchObject({ "content-type": "text/event-stream", "x-accel-buffering": "no" });
    expect(await reader.ended).toBe("ended");
    expect(reader.text()).toBe("");
    expect(source.openCount).toBe(0);
    expect(await codeServed(hub)).toBe("ok");
  });

  test("[RP43] asks for no more while its peer does not read, and goes on when it does", async () => {
    const pieceBytes = 1_000_000;
    const pieceCount = 100; // more than all buffers between two sockets of one machine hold
    let askedCount = 0;
    const source = async function* (): AsyncIterable<string> {
      for (; askedCount < pieceCount; askedCount += 1) yield "x".repeat(pieceBytes);
    };
    await using hub = await openTestHub({ routes: [streamRoute(source)] });
    using reader = await openEventReader(hub, "/events", { version, isPaused: true });
    let waitedCount = 0;
    for (let before = -1; waitedCount < 50; waitedCount = before === askedCount ? waitedCount + 1 : 0) {
      before = askedCount;
      await settle();
    }
    expect(askedCount).toBeLessThan(pieceCount / 2);
    reader.resume();
    expect(await reader.ended).toBe("ended");
    expect(reader.text().length).toBe(pieceCount * pieceBytes);
    expect(await codeServed(hub)).toBe("ok");
  });

  test("[RP44] whose peer leaves ends its source, also while that waits, and leaves nothing", async () => {
    const source = new OpenSource(["data: 1\n\n"]);
    await using hub = await openTestHub({ routes: [streamRoute(source.stream)] });
    const reader = await openEventReader(hub, "/events", { version });
    const signal = await source.opened.promise;
    expect(hub.metrics.value(streamCount)).toBe(1);
    reader[Symbol.dispose]();
    expect(await codeServed(hub)).toBe("canceled");
    expect(signal.aborted).toBe(true);
    expect(source.leftCount).toBe(1);
    expect(hub.metrics.value(streamCount)).toBe(0);
    expect(hub.log.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test.each(["revoke", "expire"] as const)("[RP31, RP44, RP46] ends in good order on %s of its token", async (end) => {
    const source = new OpenSource(["data: 1\n\n"]);
    await using hub = await openTestHub({ routes: [streamRoute(source.stream)] });
    using reader = await openEventReader(hub, "/events", { version });
    const signal = await source.opened.promise;
    hub.tokens[end]("root");
    expect(await reader.ended).toBe("ended");
    expect(signal.reason).toMatchObject({ code: "UNAUTHENTICATED" });
    expect(reader.text()).toBe("data: 1\n\n");
    expect(await codeServed(hub)).toBe("unauthenticated");
    expect(hub.metrics.value(streamCount)).toBe(0);
  });

  test("[RP11, RP32, RP44] ends at once when the hub closes, and is not counted as cut", async () => {
    const source = new OpenSource(["data: 1\n\n"]);
    await using hub = await openTestHub({ routes: [streamRoute(source.stream)] });
    using reader = await openEventReader(hub, "/events", { version });
    await source.opened.promise;
    const drained = hub.endpoint.drain(60_000);
    expect(await reader.ended).toBe("ended");
    expect(await drained).toEqual({ cutCount: 0 });
    expect(await codeServed(hub)).toBe("unavailable");
    expect(hub.metrics.value(streamCount)).toBe(0);
  });

  test.each([
    ["a bug", new TypeError("password is hunter2"), "internal"],
    ["a failure", new FlotillaError("UNAVAILABLE", "the store is away"), "unavailable"],
  ])("[RP45, RP46] whose source throws %s is broken off and logged", async (_name, failure, code) => {
    const source = async function* (): AsyncIterable<string> {
      yield "data: 1\n\n";
      throw failure;
    };
    await using hub = await openTestHub({ routes: [streamRoute(source)] });
    using reader = await openEventReader(hub, "/events", { version });
    expect(await reader.ended).toBe("broken");
    expect(reader.text()).not.toContain("hunter2");
    expect((await hub.log.next(({ level }) => level === "error")).error).toBe(failure);
    expect(await codeServed(hub)).toBe(code);
    expect(hub.metrics.value(streamCount)).toBe(0);
  });
});

test("[RP45] a broken stream leaves the other requests of its HTTP/2 connection alone", async () => {
  const fail = Promise.withResolvers<never>();
  // oxlint-disable-next-line require-yield
  const source = async function* (): AsyncIterable<string> {
    await fail.promise;
  };
  const other = new OpenSource(["data: 1\n\n"]);
  await using hub = await openTestHub({ routes: [streamRoute(source), streamRoute(other.stream, "/other")] });
  const session = connect(hub.url, { ca: hub.ca });
  const ask = (path: string) => session.request({ ":path": path, authorization: "Bearer root" });
  const [broken, alive] = [ask("/events"), ask("/other")];
  broken.on("error", () => undefined);
  const closed = new Promise((resolve) => broken.once("close", resolve));
  await other.opened.promise;
  fail.reject(new Error("away"));
  await closed;
  expect(broken.rstCode).toBe(2);
  expect(alive.closed || session.closed).toBe(false);
  session.destroy();
});

test("[RP10, RP44] a peer that does not take the end of a stream is cut after the deadline, which begins at that end", async () => {
  const clock = new ManualClock();
  const source = new OpenSource(Array.from({ length: 100 }, () => "x".repeat(1_000_000)));
  await using hub = await openTestHub({ clock, routes: [streamRoute(source.stream)] });
  const { timerCount } = clock;
  const peer = await connectPlain(hub.plainUrl);
  peer.socket.write("GET /events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer root\r\n\r\n");
  await peer.until("x");
  peer.socket.pause();
  await clock.advance(600_000);
  expect(hub.metrics.value(streamCount)).toBe(1);
  hub.tokens.revoke("root");
  expect(hub.metrics.value(streamCount)).toBe(0);
  const served = hub.log.next(({ message }) => message === "request served");
  expect(await advanceUntil(clock, served)).toBeGreaterThanOrEqual(630_000);
  expect((await served).fields).toMatchObject({ code: "unauthenticated" });
  expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="answer"}')).toBe(1);
  peer.socket.destroy();
  expect(clock.timerCount).toBe(timerCount);
});

test("[RP44] a stream whose token ended, or whose hub closed, before it began is refused whole", async () => {
  const source = new OpenSource(["data: 1\n\n"]);
  let before: () => void = () => undefined;
  const route: Route = {
    ...streamRoute(source.stream),
    handler() {
      before();
      return { status: 200, contentType: "text/event-stream", stream: source.stream };
    },
  };
  await using hub = await openTestHub({ routes: [route] });
  before = () => hub.tokens.revoke("root");
  const late = await httpGet(hub, "/events", { authorization: "Bearer root" });
  expect(late.status).toBe(401);
  expect(late.headers["www-authenticate"]).toBe('Bearer realm="flotilla"');
  before = () => void hub.endpoint.drain(60_000);
  expect((await httpGet(hub, "/events", { authorization: "Bearer nobody" })).status).toBe(503);
  expect(source.openCount).toBe(0);
  expect(hub.metrics.value(streamCount)).toBe(0);
});

test("[RP44] no source is opened for a peer that left before the answer", async () => {
  const source = new OpenSource([]);
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const route: Route = {
    ...streamRoute(source.stream),
    async handler() {
      asked.resolve();
      await answer.promise;
      return { status: 200, contentType: "text/event-stream", stream: source.stream };
    },
  };
  await using hub = await openTestHub({ routes: [route] });
  for (const open of [connectPlainGet, connectHttp2Get]) {
    const leave = await open(hub);
    await asked.promise;
    leave();
  }
  await hub.log.next(() => hub.log.lines.filter(({ message }) => message === "request served").length === 2);
  answer.resolve();
  await settle();
  expect(source.openCount).toBe(0);
  expect(hub.log.lines.filter(({ level }) => level === "error")).toEqual([]);
});

async function connectPlainGet(hub: TestHub): Promise<() => void> {
  const peer = await connectPlain(hub.plainUrl);
  peer.socket.write("GET /events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer root\r\n\r\n");
  return () => void peer.socket.destroy();
}

async function connectHttp2Get(hub: TestHub): Promise<() => void> {
  const session = connect(hub.url, { ca: hub.ca });
  const request = session.request({ ":path": "/events", authorization: "Bearer root" });
  request.on("error", () => undefined);
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  await new Promise((resolve) => session.ping(resolve)); // answered after the request was met
  return () => session.destroy();
}

test("[RP8, RP43] a peer that goes on sending a body to a stream is cut, one that ends it is not", async () => {
  const clock = new ManualClock();
  const source = new OpenSource(["data: 1\n\n"]);
  await using hub = await openTestHub({ clock, routes: [streamRoute(source.stream)] });
  const head = "GET /events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer root\r\ncontent-length: 5\r\n\r\n";
  const [late, whole] = [await connectPlain(hub.plainUrl), await connectPlain(hub.plainUrl)];
  late.socket.write(head);
  whole.socket.write(`${head}12345`);
  await Promise.all([late.until("data: 1"), whole.until("data: 1")]);
  await settle();
  await clock.advance(30_000);
  await late.closed;
  expect(hub.metrics.value(streamCount)).toBe(1);
  expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="body"}')).toBe(1);
  whole.socket.destroy();
});

test("[RP21] a stream of a type that a browser may take for a page is never sent", async () => {
  const source = new OpenSource(["<script>steal()</script>"]);
  const page: Route = {
    ...streamRoute(source.stream),
    handler: () => ({ status: 200, contentType: "text/html" as "text/event-stream", stream: source.stream }),
  };
  await using hub = await openTestHub({ routes: [page] });
  const got = await httpGet(hub, "/events", { authorization: "Bearer root" });
  expect(got.status).toBe(500);
  expect(got.body).not.toContain("script");
  expect(source.openCount).toBe(0);
});
