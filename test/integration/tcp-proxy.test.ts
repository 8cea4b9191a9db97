// SPDX-License-Identifier: Apache-2.0
// The proxy that other tests cut connections with: what they take for a lost route must be one.
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TcpProxy } from "../e2e/fleet/tcp-proxy.ts";

let server: Server;
let proxy: TcpProxy;

beforeEach(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
  proxy = await TcpProxy.open(address.port);
});

afterEach(async () => {
  await proxy.close();
  server.close();
});

/** A connection through the proxy, its two ends, over which a byte has gone. */
async function openPair(): Promise<{ readonly near: Socket; readonly far: Socket }> {
  const accepted = once(server, "connection");
  const near = connect({ port: proxy.port, host: "127.0.0.1" });
  const [far] = (await accepted) as [Socket];
  const heard = once(far, "data");
  near.write("a");
  await heard;
  return { near, far };
}

test("an open proxy tells one side that the other has gone", async () => {
  const { near, far } = await openPair();
  const closed = once(far, "end");
  near.destroy();
  await closed;
  expect(far.readableEnded).toBe(true);
});

test("a connection that was swallowed stays lost when the network is back: its far side learns of nothing", async () => {
  const { near, far } = await openPair();
  proxy.set("silent");
  near.destroy();
  // The proxy hears of the close only after this.
  proxy.set("open");
  // What comes after it has gone both ways: by then the proxy has heard of the close.
  const later = await openPair();
  const ended = once(later.far, "end");
  later.near.destroy();
  await ended;
  expect(far.readableEnded).toBe(false);
  expect(far.destroyed).toBe(false);
});

test("a connection that was swallowed is broken like any other by a reset", async () => {
  const { near, far } = await openPair();
  proxy.set("silent");
  const broken = [near, far].map((socket) =>
    expect(once(socket, "close")).rejects.toMatchObject({ code: "ECONNRESET" }),
  );
  proxy.set("reset");
  await Promise.all(broken);
});
