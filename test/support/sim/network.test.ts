// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FlotillaError } from "../../../src/base/error.ts";
import { SimNetwork } from "./network.ts";
import { createBench, decoder, never, numbers, pair, readAll, route, text } from "./network-bench.ts";
import { World } from "./world.ts";

test("[SI8] messages arrive once and in order although each has its own delay, in both directions", async () => {
  const { world, client, server } = await pair({ delay: { minMs: 0, maxMs: 200 } });
  const atServer = readAll(server);
  const atClient = readAll(client);
  for (const number of numbers(50)) {
    await client.send(text(number));
    await server.send(text(number));
    await world.run(3);
  }
  await world.run(1_000);
  expect(atServer.texts).toEqual(numbers(50));
  expect(atClient.texts).toEqual(numbers(50));
});

test("[SI8] between two streams there is no order", async () => {
  const { world, accepted, client, dial } = await pair({ delay: { minMs: 0, maxMs: 200 } });
  const other = await dial();
  const order: string[] = [];
  for (const end of accepted) {
    void (async () => {
      for await (const message of end.receive) order.push(decoder.decode(message));
    })();
  }
  for (const number of numbers(20)) await (Number(number) % 2 === 0 ? client : other).send(text(number));
  await world.run(1_000);
  expect(order).not.toEqual(numbers(20));
  expect(order.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers(20));
});

test("[SI8] a message is the receiver's own, whatever the sender does to its bytes later", async () => {
  const { world, client, server } = await pair();
  const received = readAll(server);
  const bytes = text("as sent");
  await client.send(bytes);
  bytes.fill(0);
  await world.run(1_000);
  expect(received.texts).toEqual(["as sent"]);
});

test("[SI9] a full window makes the sender wait, loses nothing, and lets waiting sends through in order", async () => {
  const { world, network, client, server } = await pair({ windowBytes: 100 });
  let sent = 0;
  for (const number of numbers(10)) void client.send(text(number.padStart(30, "0"))).then(() => (sent += 1));
  await world.run(60_000);
  expect(sent).toBe(3);
  expect(network.streams[0]?.client.unackedBytes).toBe(90);
  const received = readAll(server);
  await world.run(60_000);
  expect(sent).toBe(10);
  expect(received.texts.map(Number)).toEqual(numbers(10).map(Number));
});

test("[SI9] a send that is aborted while it waits is not sent, and those behind it go on", async () => {
  const { world, client, server } = await pair({ windowBytes: 10 });
  await client.send(text("0123456"));
  const stop = new AbortController();
  const large = client.send(text("large one"), stop.signal);
  const small = client.send(text("abc"));
  stop.abort(new Error("given up"));
  await expect(large).rejects.toThrow("given up");
  await small;
  const received = readAll(server);
  await world.run(1_000);
  expect(received.texts).toEqual(["0123456", "abc"]);
  await expect(client.send(new Uint8Array(11))).rejects.toMatchObject({ code: "TOO_LARGE" });
});

test("[SI10] an end closed in order delivers what was sent before, then the other end knows, and sends are refused", async () => {
  const { world, client, server } = await pair();
  const received = readAll(server);
  await client.send(text("last words"));
  client.close();
  await world.run(1_000);
  expect(received).toEqual({ texts: ["last words"], ending: "ended" });
  await expect(server.closed).resolves.toEqual({ kind: "ended" });
  await expect(server.send(text("too late"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(client.send(text("too late"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

test("[SI10] an end broken off with an error breaks the other, which is not told the error", async () => {
  const { world, client, server } = await pair();
  const received = readAll(server);
  client.close(new FlotillaError("FENCED", "a secret of the agent"));
  await world.run(1_000);
  expect(received.ending).toBe("UNAVAILABLE");
  expect(JSON.stringify(await server.closed)).not.toContain("secret");
});

test("[SI10] unread messages of a broken stream are lost; those of an ended one can still be read", async () => {
  const broken = await pair();
  await broken.client.send(text("unread"));
  await broken.world.run(1_000);
  broken.network.streams[0]?.cut();
  expect(readAll(broken.server).texts).toEqual([]);

  const ended = await pair();
  await ended.client.send(text("unread"));
  ended.client.close();
  await ended.world.run(1_000);
  const received = readAll(ended.server);
  await ended.world.run(1);
  expect(received).toEqual({ texts: ["unread"], ending: "ended" });
});

test("[SI15] a dial is refused where nobody listens, and where the host turns it down", async () => {
  const { world, network, dial } = createBench();
  const nobody = expect(network.dial({ ...route, service: "other" }, never)).rejects.toMatchObject({
    code: "UNAVAILABLE",
  });
  network.setRefusing("hub", true);
  const turnedDown = expect(network.dial(route, never)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await world.run(1_000);
  await Promise.all([nobody, turnedDown]);
  network.setRefusing("hub", false);
  await expect(dial()).resolves.toBeDefined();
});

test("[SI15] an aborted dial rejects at once; the stream accepted meanwhile breaks", async () => {
  const { world, network, accepted } = createBench({ delay: { minMs: 50, maxMs: 50 } });
  const stop = new AbortController();
  const dialling = network.dial(route, stop.signal);
  await world.run(70);
  expect(accepted).toHaveLength(1);
  stop.abort(new Error("closing"));
  await expect(dialling).rejects.toThrow("closing");
  await world.run(1_000);
  await expect(accepted[0]?.closed).resolves.toMatchObject({ kind: "failed" });
  await expect(network.dial(route, stop.signal)).rejects.toThrow("closing");
});

test("[SI7] an end that nobody closed is reported by host, and packets under way are no leak", async () => {
  const leaking = await pair();
  leaking.client.close();
  await expect(leaking.world.close()).rejects.toThrow("the server end of stream 1 on hub");

  const clean = await pair();
  clean.client.close();
  clean.server.close();
  clean.listener.close();
  await clean.world.close();
});

test("[SI7] a listener that nobody closed is reported", async () => {
  const world = new World(1);
  new SimNetwork(world).listen("hub", "session", () => undefined);
  await expect(world.close()).rejects.toThrow("a listener on hub/session");
});
