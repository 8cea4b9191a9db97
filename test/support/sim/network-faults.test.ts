// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createBench, never, numbers, pair, readAll, route, text } from "./network-bench.ts";

test("[SI11] a cut is seen by both ends, also by one that waits to send", async () => {
  const { world, network, client, server } = await pair({ windowBytes: 10 });
  const atClient = readAll(client);
  await client.send(text("0123456789"));
  const waiting = client.send(text("more"));
  network.streams[0]?.cut();
  await expect(waiting).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(server.closed).resolves.toMatchObject({ kind: "failed" });
  await world.run(1);
  expect(atClient.ending).toBe("UNAVAILABLE");
  expect(network.streams).toEqual([]);
});

test("[SI12] in a black hole messages vanish and neither end ever learns", async () => {
  const { world, network, client, server } = await pair();
  const atServer = readAll(server);
  await client.send(text("under way"));
  network.streams[0]?.blackHole();
  await client.send(text("vanishes"));
  await server.send(text("vanishes too"));
  await world.run(86_400_000);
  expect(atServer).toEqual({ texts: [], ending: "" });
  expect(network.streams).toHaveLength(1);
  expect(network.streams[0]?.client.state).toBe("open");
  expect(network.streams[0]?.server.state).toBe("open");
});

test.each(["client", "server"] as const)(
  "[SI13] half-open: the %s end breaks, the other learns nothing",
  async (side) => {
    const { world, network, client, server } = await pair();
    const [stream] = network.streams;
    if (stream === undefined) throw new Error("no stream");
    const [dead, deaf] = side === "client" ? [client, server] : [server, client];
    const atDeaf = readAll(deaf);
    network.halfOpen(stream, side);
    await expect(dead.closed).resolves.toMatchObject({ kind: "failed" });
    await deaf.send(text("anybody there?"));
    await world.run(3_600_000);
    expect(atDeaf.ending).toBe("");
  },
);

test("[SI14] what is sent in a partition, or was under way when it began, arrives in order after it", async () => {
  const { world, network, client, server } = await pair({ delay: { minMs: 50, maxMs: 50 } });
  const received = readAll(server);
  await client.send(text("0"));
  await world.run(10);
  network.partition("hub", "agent");
  await client.send(text("1"));
  await world.run(60_000);
  await client.send(text("2"));
  expect(received.texts).toEqual([]);
  network.heal("agent", "hub");
  await client.send(text("3"));
  await world.run(1_000);
  expect(received).toEqual({ texts: ["0", "1", "2", "3"], ending: "" });
});

test("[SI14] a partition is between two hosts: others go on", async () => {
  const { world, network, accepted, dial } = await pair();
  const other = await dial("other-agent");
  network.partition("agent", "hub");
  const received = readAll(accepted[1] ?? other);
  await other.send(text("still here"));
  await world.run(1_000);
  expect(received.texts).toEqual(["still here"]);
});

test("[SI14] a dial in a partition times out; one that waits when it is healed gets through", async () => {
  const { world, network } = createBench({ dialTimeoutMs: 5_000 });
  network.partition("agent", "hub");
  const late = network.dial(route, never);
  const refused = expect(late).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
  await world.run(4_000);
  const patient = network.dial(route, never);
  await world.run(2_000);
  await refused;
  network.heal("agent", "hub");
  await world.run(1_000);
  await expect(patient).resolves.toBeDefined();
});

test("[SI14] a reset is lost in a partition: the other end learns of it only when it sends", async () => {
  const { world, network, server } = await pair();
  const received = readAll(server);
  network.partition("agent", "hub");
  network.crash("agent", "process");
  await world.run(1_000);
  network.heal("agent", "hub");
  await world.run(60_000);
  expect(received.ending).toBe("");
  await server.send(text("hello?"));
  await world.run(1_000);
  expect(received.ending).toBe("UNAVAILABLE");
});

test("[SI16] a duplicate connect is accepted twice; the stream that nobody holds breaks when something is sent on it", async () => {
  const { world, network, accepted, dial } = createBench();
  network.duplicateNextDial("hub");
  const client = await dial();
  expect(accepted).toHaveLength(2);
  const atClient = readAll(client);
  for (const end of accepted) await end.send(text("welcome"));
  await world.run(1_000);
  expect(atClient.texts).toEqual(["welcome"]);
  expect(network.streams).toHaveLength(1);
  await expect(accepted[1]?.closed).resolves.toMatchObject({ kind: "failed" });
  await dial();
  expect(accepted).toHaveLength(3);
});

test("[SI17] the peers of a crashed process see their streams break, and dials are refused until it listens again", async () => {
  const { world, network, client } = await pair();
  const received = readAll(client);
  network.crash("hub", "process");
  await world.run(1_000);
  expect(received.ending).toBe("UNAVAILABLE");
  const refused = expect(network.dial(route, never)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await world.run(1_000);
  await refused;
});

test("[SI17] the peers of a crashed machine hear nothing; a message after it is back breaks the stream", async () => {
  const { world, network, client } = await pair({ dialTimeoutMs: 2_000 });
  const received = readAll(client);
  network.crash("hub", "machine");
  await client.send(text("vanishes"));
  const unanswered = expect(network.dial(route, never)).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
  await world.run(60_000);
  await unanswered;
  expect(received.ending).toBe("");
  network.restore("hub");
  await world.run(60_000);
  expect(received.ending).toBe("");
  await client.send(text("are you back?"));
  await world.run(1_000);
  expect(received.ending).toBe("UNAVAILABLE");
});

test("[SI5] code of a crashed host can send nothing any more, not even what waited", async () => {
  const { world, network, client, server } = await pair({ windowBytes: 10 });
  await client.send(text("0123456789"));
  const waiting = expect(client.send(text("more"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  network.crash("agent", "machine");
  await waiting;
  await expect(client.send(text("a ghost"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const received = readAll(server);
  await world.run(60_000);
  expect(received.texts).toEqual(["0123456789"]);
});

test("[SI18] a slow reader gets its messages one by one, keeps the window full and the sender waiting, and misses none", async () => {
  const { world, network, client, server } = await pair({ windowBytes: 100 });
  network.setReadDelay("hub", 1_000);
  const received = readAll(server);
  let sent = 0;
  for (const number of numbers(10)) void client.send(text(number.padStart(50, "0"))).then(() => (sent += 1));
  await world.run(3_500);
  expect(received.texts.length).toBeLessThanOrEqual(3);
  expect(sent).toBeLessThanOrEqual(received.texts.length + 2);
  network.setReadDelay("hub", 0);
  await world.run(5_000);
  expect(received.texts.map(Number)).toEqual(numbers(10).map(Number));
});
