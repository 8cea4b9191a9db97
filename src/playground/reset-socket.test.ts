// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { listenOn } from "../rpc/listener/listen.ts";
import { resetSocket } from "./reset-socket.ts";

/** How both ends of a connection end when its server does this with it at once. */
async function endsAfter(act: (socket: Socket) => void): Promise<{ readonly near: boolean; readonly far: string }> {
  const server = createServer();
  const port = await listenOn(server, { host: "127.0.0.1", port: 0, portOption: "--port" });
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const far = connect(port, "127.0.0.1").resume();
  const ended = new Promise<string>((resolve) =>
    far.once("error", ({ message }) => resolve(message)).once("close", () => resolve("closed")),
  );
  const [near] = await accepted;
  near.on("error", () => undefined);
  const closed = once(near, "close");
  act(near);
  await closed;
  const result = { near: near.closed, far: await ended };
  await new Promise((resolve) => server.close(resolve));
  return result;
}

test("a connection is ended by a reset", async () => {
  expect(await endsAfter(resetSocket)).toEqual({ near: true, far: expect.stringContaining("ECONNRESET") as unknown });
});

test("one that was about to end is closed as well", async () => {
  const { near } = await endsAfter((socket) => {
    socket.end("bye");
    resetSocket(socket);
  });
  expect(near).toBe(true);
});
