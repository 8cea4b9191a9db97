// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { expect, test } from "vitest";
import { SimulatedNetwork } from "./simulated-network.ts";

const anyPort = { host: "127.0.0.1", port: 0, portOption: "--port" };

/** A server that sends back what it gets, behind a gate. */
async function open(): Promise<AsyncDisposable & { readonly gate: SimulatedNetwork; connect(): Promise<Socket> }> {
  const echo: Server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.pipe(socket);
  });
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  const gate = await SimulatedNetwork.open(anyPort);
  const address = echo.address();
  gate.passTo(typeof address === "object" && address !== null ? address.port : 0);
  const clients: Socket[] = [];
  return {
    gate,
    async connect() {
      const client = connect(gate.port, "127.0.0.1");
      client.on("error", () => undefined);
      clients.push(client);
      // A refused connection may be reset before it is known to be there.
      await Promise.race([eventOf(client, "connect"), eventOf(client, "close")]);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy();
      await gate.close();
      echo.close();
      await once(echo, "close");
    },
  };
}

/** Resolves at the event; errors are events of their own and do not matter here. */
function eventOf(client: Socket, name: "connect" | "close"): Promise<void> {
  if (name === "close" && client.closed) return Promise.resolve();
  return new Promise((resolve) => client.once(name, () => resolve()));
}

async function echoOf(client: Socket, text: string): Promise<string> {
  client.write(text);
  const [chunk] = (await once(client, "data")) as [Buffer];
  return chunk.toString();
}

test("an open gate passes bytes both ways", async () => {
  await using network = await open();
  expect(await echoOf(await network.connect(), "hello")).toBe("hello");
});

test("a refusing gate cuts what is open and takes nothing new", async () => {
  await using network = await open();
  const client = await network.connect();
  expect(await echoOf(client, "hello")).toBe("hello");
  const cut = eventOf(client, "close");
  network.gate.setState("refused");
  await cut;
  await eventOf(await network.connect(), "close");
});

test("a silent gate takes connections and passes nothing; healing it cuts them, and new ones work", async () => {
  await using network = await open();
  const before = await network.connect();
  expect(await echoOf(before, "hello")).toBe("hello");
  network.gate.setState("silent");
  const during = await network.connect();
  const heard: string[] = [];
  for (const client of [before, during]) {
    client.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
    client.write("anybody?");
  }
  const cuts = [before, during].map((client) => eventOf(client, "close"));
  network.gate.setState("open");
  await Promise.all(cuts);
  expect(heard).toEqual([]);
  expect(await echoOf(await network.connect(), "again")).toBe("again");
});

test("without a server behind it a gate refuses", async () => {
  await using network = await open();
  network.gate.passTo(undefined);
  const client = await network.connect();
  await eventOf(client, "close");
  expect(client.bytesRead).toBe(0);
});
