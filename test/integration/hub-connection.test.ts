// SPDX-License-Identifier: Apache-2.0
// A client's way to its hub, on real HTTP/2 through a proxy that can be cut.
import { once } from "node:events";
import {
  type ClientHttp2Stream,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock, settle } from "../../src/base/testing/manual-clock.ts";
import { HubConnection } from "../../src/rpc/client/hub-connection.ts";
import { TcpProxy } from "../e2e/fleet/tcp-proxy.ts";

const times = { dialTimeoutMs: 10_000, pingIntervalMs: 2_000, pingTimeoutMs: 3_000 };
const { dialTimeoutMs, pingIntervalMs, pingTimeoutMs } = times;
const idleMs = 60_000;

/** A hub that answers each request when it is told to, and how it is reached. */
class Rig {
  readonly clock = new ManualClock();
  readonly sessions: ServerHttp2Session[] = [];
  readonly streams: ServerHttp2Stream[] = [];
  readonly proxy: TcpProxy;
  readonly connection: HubConnection;
  readonly #server: Http2Server;

  private constructor(server: Http2Server, proxy: TcpProxy) {
    this.#server = server;
    this.proxy = proxy;
    const url = `http://127.0.0.1:${proxy.port}`;
    this.connection = new HubConnection({ url, clock: this.clock, ...times });
    server.on("session", (session) => {
      session.on("error", () => undefined);
      this.sessions.push(session);
    });
    server.on("stream", (stream: ServerHttp2Stream) => {
      stream.on("error", () => undefined);
      this.streams.push(stream);
    });
  }

  static async open(): Promise<Rig> {
    const server = createServer();
    return new Rig(server, await TcpProxy.open(await listen(server)));
  }

  async close(): Promise<void> {
    this.connection.abort();
    await this.proxy.close();
    for (const session of this.sessions) session.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** A request, once the hub has it. */
  async ask(): Promise<Asked> {
    const before = this.streams.length;
    const asked = new Asked(await this.connection.request("POST", "/", {}, {}));
    await expect.poll(() => this.streams.length).toBe(before + 1);
    return asked;
  }

  /** A request that was answered: the connection is idle. */
  async askAndAnswer(): Promise<void> {
    const asked = await this.ask();
    this.streams.at(-1)?.respond({}, { endStream: true });
    await asked.ended;
  }
}

/** One request and how it ended. */
class Asked {
  readonly stream: ClientHttp2Stream;
  failure: unknown;
  readonly ended: Promise<void>;

  constructor(stream: ClientHttp2Stream) {
    this.stream = stream;
    stream.on("error", (reason: unknown) => {
      this.failure = reason;
    });
    stream.resume().end();
    this.ended = new Promise((resolve) => stream.once("close", () => resolve()));
  }
}

/** The port that it is given. */
async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

let rig: Rig;

beforeEach(async () => {
  rig = await Rig.open();
});

afterEach(() => rig.close());

test("nothing is dialled before the first request; all that are asked for at once go over one connection", async () => {
  await settle();
  expect(rig.sessions).toHaveLength(0);
  await Promise.all([rig.connection.open(), rig.connection.open(), rig.connection.open()]);
  await rig.askAndAnswer();
  expect(rig.sessions).toHaveLength(1);
});

describe("[RP50] a connection that was quiet for long", () => {
  test("is asked by PING before it is used again, and used if it answers", async () => {
    await rig.askAndAnswer();
    let pingCount = 0;
    rig.sessions[0]?.on("ping", () => {
      pingCount += 1;
    });
    await rig.clock.advance(pingIntervalMs);
    await rig.askAndAnswer();
    expect(pingCount).toBe(0);
    await rig.clock.advance(pingIntervalMs + 1);
    await rig.askAndAnswer();
    expect(pingCount).toBe(1);
    expect(rig.sessions).toHaveLength(1);
  });

  test("and does not answer is left, the request goes over another", async () => {
    await rig.askAndAnswer();
    rig.proxy.set("silent");
    rig.proxy.set("open");
    await rig.clock.advance(pingIntervalMs + 1);
    const asked = rig.ask();
    await expect.poll(() => rig.clock.nextDueMs).toBe(rig.clock.nowMs() + pingTimeoutMs);
    await rig.clock.advance(pingTimeoutMs + 1);
    await asked;
    expect(rig.sessions).toHaveLength(2);
  });

  test("while a request waits is asked again and again, and stays as long as it answers", async () => {
    const asked = await rig.ask();
    let pingCount = 0;
    rig.sessions[0]?.on("ping", () => {
      pingCount += 1;
    });
    for (const count of [1, 2, 3]) {
      await rig.clock.advance(pingIntervalMs);
      await expect.poll(() => pingCount).toBe(count);
      // The answer has come when the next PING, not the end of this one, is what is waited for.
      await expect.poll(() => rig.clock.nextDueMs).toBe(rig.clock.nowMs() + pingIntervalMs);
    }
    rig.streams[0]?.respond({}, { endStream: true });
    await asked.ended;
    expect(asked.failure).toBeUndefined();
  });

  test("is not asked while something comes from the hub", async () => {
    const { stream } = await rig.ask();
    let pingCount = 0;
    rig.sessions[0]?.on("ping", () => {
      pingCount += 1;
    });
    for (let at = 0; at < 5; at += 1) {
      await rig.clock.advance(pingIntervalMs - 1);
      rig.connection.notifyResponseByteRead(stream);
    }
    await rig.clock.advance(1);
    expect(pingCount).toBe(0);
  });
});

describe("[RP50] a connection that fails", () => {
  test("by a PING without answer fails what is under way; whoever asks again at that moment ends no process, and is answered over another", async () => {
    const first = await rig.ask();
    const again = first.ended.then(() => rig.ask());
    rig.proxy.set("silent");
    await rig.clock.advance(pingIntervalMs + pingTimeoutMs);
    rig.proxy.set("open");
    await rig.clock.advance(1);
    await again;
    expect(first.failure).toMatchObject({ rawMessage: `no answer to a PING within ${pingTimeoutMs} ms` });
    expect(rig.sessions).toHaveLength(2);
  });

  test("a moment before a PING falls due ends no process", async () => {
    const first = await rig.ask();
    first.stream.session?.destroy();
    expect(rig.clock.nextDueMs).toBe(pingIntervalMs);
    rig.clock.runNext(); // before Node tells anybody
    await first.ended;
    await rig.ask();
    expect(rig.sessions).toHaveLength(2);
  });

  test("while it is dialled tells all who wait; the next one dials anew", async () => {
    rig.proxy.set("reset");
    const outcomes = await Promise.allSettled([rig.connection.open(), rig.connection.request("POST", "/", {}, {})]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(rig.connection.open()).rejects.toMatchObject({ code: "ECONNRESET" });
    rig.proxy.set("open");
    await rig.ask();
    expect(rig.sessions).toHaveLength(1);
    expect(rig.clock.timerCount).toBe(1);
  });

  test("because nobody answers its handshake is over after its time, for all who wait; the next one dials anew", async () => {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => void sockets.push(socket.on("error", () => undefined)));
    const url = `https://127.0.0.1:${await listen(server)}`;
    const connection = new HubConnection({ url, clock: rig.clock, ...times });
    const failure = { rawMessage: `no connection within ${dialTimeoutMs} ms` };
    const first = expect(connection.open()).rejects.toMatchObject(failure);
    await rig.clock.advance(dialTimeoutMs - 1);
    const second = expect(connection.open()).rejects.toMatchObject(failure);
    await rig.clock.advance(1);
    await Promise.all([first, second]);
    const third = expect(connection.open()).rejects.toThrow("closed by this process");
    await expect.poll(() => sockets.length).toBe(2);
    connection.abort();
    await third;
    expect(rig.clock.timerCount).toBe(0);
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });

  test("because nothing listens tells the system's code", async () => {
    const server = createTcpServer();
    const url = `http://127.0.0.1:${await listen(server)}`;
    server.close();
    await once(server, "close");
    const connection = new HubConnection({ url, clock: rig.clock, ...times });
    await expect(connection.open()).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(rig.clock.timerCount).toBe(0);
  });
});

describe("[RP50] a hub that asks for another connection", () => {
  test("is given it by the next request, and what is under way is finished", async () => {
    const first = await rig.ask();
    rig.sessions[0]?.goaway();
    await expect.poll(() => first.stream.session?.closed).toBe(true);
    await rig.askAndAnswer();
    expect(rig.sessions).toHaveLength(2);
    rig.streams[0]?.respond({}, { endStream: true });
    await first.ended;
    expect(first.failure).toBeUndefined();
    await expect.poll(() => rig.sessions[0]?.destroyed).toBe(true);
  });

  test("while nothing is under way closes it", async () => {
    await rig.askAndAnswer();
    rig.sessions[0]?.goaway();
    await expect.poll(() => rig.clock.timerCount).toBe(0);
    await rig.askAndAnswer();
    expect(rig.sessions).toHaveLength(2);
  });
});

test("[RP50] one that nobody used for a minute is closed, and leaves no timer", async () => {
  await rig.askAndAnswer();
  await rig.clock.advance(idleMs - 1);
  expect(rig.sessions[0]?.destroyed).toBe(false);
  await rig.clock.advance(1);
  await expect.poll(() => rig.sessions[0]?.destroyed).toBe(true);
  await expect.poll(() => rig.clock.timerCount).toBe(0);
  await rig.askAndAnswer();
  expect(rig.sessions).toHaveLength(2);
});

describe("one that is aborted", () => {
  test("breaks off what is under way, and leaves no timer; a later request dials again", async () => {
    const asked = await rig.ask();
    rig.connection.abort();
    await asked.ended;
    expect(asked.failure).toMatchObject({ rawMessage: "the connection was closed by this process" });
    await expect.poll(() => rig.clock.timerCount).toBe(0);
    await rig.askAndAnswer();
    expect(rig.sessions).toHaveLength(2);
  });

  test("while it is dialled tells who waits", async () => {
    rig.proxy.set("silent");
    const opening = expect(rig.connection.open()).rejects.toMatchObject({
      rawMessage: "the connection was closed by this process",
    });
    rig.connection.abort();
    await opening;
    await expect.poll(() => rig.clock.timerCount).toBe(0);
    rig.proxy.set("open");
    await rig.askAndAnswer();
  });
});
