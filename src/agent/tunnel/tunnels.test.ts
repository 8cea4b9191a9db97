// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, test } from "vitest";
import { onAbort } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import { encodeObjectRead, parseTunnelUp } from "../../session/tunnel/tunnel-messages.ts";
import { offerOf, podRead, TunnelsRig } from "./testing/tunnels-rig.ts";

const object = '{"kind":"Pod","spec":{"env":"marker"}}';

let rig: TunnelsRig;

beforeEach(() => {
  rig = new TunnelsRig();
});

/** Nothing of any offer is left: no stream, no timer, no read. */
async function expectNothingLeft(): Promise<void> {
  await settle();
  expect({ streams: rig.openStreamCount, timers: rig.clock.timerCount, reads: rig.openReadCount }).toEqual({
    streams: 0,
    timers: 0,
    reads: 0,
  });
}

describe("an offer", () => {
  test("[TU1] is answered with its id and ticket, and nothing is read before the hub has asked", async () => {
    rig.open(offerOf(1));
    const hub = await rig.accept();
    expect(await hub.next()).toEqual({ kind: "opening", tunnelId: "tun_1", ticket: offerOf(1).ticket });
    await rig.clock.advance(1_000);
    expect(rig.reads).toEqual([]);
  });

  test("[TU9] the bytes of the object go up as they come, then the word that this is all", async () => {
    rig.parts = [object.slice(0, 7), object.slice(7)];
    const hub = await rig.ask();
    expect(rig.reads).toEqual([podRead]);
    expect(await hub.rest()).toEqual([...rig.parts, "last"]);
    expect(await hub.ends.hub.closed).toEqual({ kind: "ended" });
    expect(rig.count("OK")).toBe(1);
    await expectNothingLeft();
  });

  test("[TU11] it is written down who asked for what and what came of it; no value of the object", async () => {
    rig.parts = [object];
    const hub = await rig.ask();
    await hub.rest();
    await settle();
    const { user, resource, namespace, name } = podRead;
    expect(rig.recorded.lines).toEqual([
      {
        level: "info",
        message: "read an object for a user",
        fields: { tunnel: "tun_1", user, resource, namespace, name, outcome: "OK", tookMs: 0 },
        error: undefined,
      },
    ]);
    expect(JSON.stringify(rig.recorded.lines)).not.toContain("marker");
  });

  test("[TU11] what is allowed is written down whole, what is longer is cut", async () => {
    rig.parts = [object];
    const hub = await rig.ask({ ...podRead, user: "u".repeat(1_024), name: "n".repeat(5_000) });
    await hub.rest();
    await settle();
    const { user, name } = rig.recorded.lines[0]!.fields;
    expect(user).toBe("u".repeat(1_024));
    expect(String(name).length).toBeLessThanOrEqual(1_024);
  });

  test("[TU8] a refusal is told with its code and its words, also after some bytes", async () => {
    rig.parts = ["{", new FlotillaError("PERMISSION_DENIED", 'pods "web-1" is forbidden')];
    const hub = await rig.ask();
    expect(await hub.rest()).toEqual(["{", 'PERMISSION_DENIED: pods "web-1" is forbidden']);
    expect(rig.count("PERMISSION_DENIED")).toBe(1);
    expect(rig.told).toEqual([]);
    expect(rig.recorded.lines.map(({ level, fields }) => [level, fields["outcome"]])).toEqual([
      ["info", "PERMISSION_DENIED"],
    ]);
    await expectNothingLeft();
  });

  test("what nobody foresaw is told as no more than that, and written down with its cause", async () => {
    const cause = new TypeError("x is undefined");
    rig.parts = [cause];
    const hub = await rig.ask();
    expect(await hub.rest()).toEqual(["INTERNAL: unexpected internal error"]);
    await settle();
    expect(rig.recorded.lines.find(({ level }) => level === "error")?.error).toMatchObject({ cause });
  });

  test.each([
    ["does not decode", new Uint8Array([0xff]), "MALFORMED"],
    ["is one of a newer hub", new Uint8Array([0xfa, 0x01, 0x00]), "UNIMPLEMENTED"],
  ])("a question that %s is refused, and nothing is read", async (_what, question, code) => {
    rig.open(offerOf(1));
    const hub = await rig.accept();
    await hub.next();
    await hub.ends.hub.send(question);
    expect((await hub.rest()).join()).toContain(code);
    expect(rig.reads).toEqual([]);
    await expectNothingLeft();
  });

  test("[TU4] a way that breaks before anything was asked is gone once more, with the same ticket", async () => {
    rig.parts = [object];
    rig.open(offerOf(1));
    const dead = await rig.accept();
    dead.ends.hub.close(new FlotillaError("UNAVAILABLE", "PING timed out"));
    const hub = await rig.accept();
    expect(await hub.next()).toMatchObject({ kind: "opening", tunnelId: "tun_1", ticket: offerOf(1).ticket });
    await hub.ends.hub.send(encodeObjectRead(podRead));
    expect(await hub.rest()).toEqual([object, "last"]);
    expect(rig.streams).toHaveLength(2);
    expect(rig.count("OK")).toBe(1);
    await expectNothingLeft();
  });

  test("a hub that ends the tunnel before it asks, twice, is written down; there was no question", async () => {
    rig.open(offerOf(1));
    for (const _attempt of [1, 2]) {
      const hub = await rig.accept();
      await hub.next();
      hub.ends.hub.close();
    }
    await settle();
    expect(rig.streams).toHaveLength(2);
    expect(rig.recorded.lines).toMatchObject([
      {
        level: "warn",
        message: "a tunnel ended before its request",
        fields: { tunnel: "tun_1", outcome: "UNAVAILABLE" },
      },
    ]);
    expect(rig.told).toEqual(["tun_1 UNAVAILABLE: the hub closed the tunnel before it sent a request"]);
    await expectNothingLeft();
  });

  test("[TU4] a hub that cannot be dialled is written down with the reason, which is told in the session", async () => {
    const reason = new FlotillaError("CERTIFICATE_INVALID", "the certificate of the hub has expired");
    rig.dial = async () => {
      throw reason;
    };
    rig.open(offerOf(1));
    await settle();
    expect(rig.recorded.lines).toMatchObject([{ level: "warn", fields: { outcome: reason.code }, error: reason }]);
    expect(rig.told).toEqual(["tun_1 CERTIFICATE_INVALID: the certificate of the hub has expired"]);
    await expectNothingLeft();
  });
});

describe("[TU4] after its deadline nothing of a tunnel is left, whatever the hub does", () => {
  test("it cannot be dialled", async () => {
    rig.dial = (signal) => new Promise((_resolve, reject) => onAbort(signal, () => reject(signal.reason)));
    rig.open(offerOf(1));
    await rig.clock.advance(14_999);
    expect(rig.clock.timerCount).toBe(1);
    await rig.clock.advance(1);
    expect(rig.count("DEADLINE_EXCEEDED")).toBe(1);
    expect(rig.told).toEqual([]); // the hub has the same deadline
    await expectNothingLeft();
  });

  test("it is silent", async () => {
    rig.open(offerOf(1));
    await rig.accept();
    await rig.clock.advance(15_000);
    expect(rig.count("DEADLINE_EXCEEDED")).toBe(1);
    await expectNothingLeft();
  });

  test("the API server hangs, before the first byte or after some", async () => {
    for (const parts of [["hang"], ["{", "hang"]]) {
      rig.parts = parts;
      await rig.ask();
      await rig.clock.advance(15_000);
    }
    expect(rig.count("DEADLINE_EXCEEDED")).toBe(2);
    await expectNothingLeft();
  });

  test("it does not read the answer", async () => {
    rig.parts = Array.from({ length: 10 }, () => "x".repeat(100_000));
    const hub = await rig.ask();
    await rig.clock.advance(15_000);
    expect(rig.count("DEADLINE_EXCEEDED")).toBe(1);
    expect(await hub.ends.hub.closed).toMatchObject({ kind: "failed" });
    await expectNothingLeft();
  });

  test("the network swallows everything", async () => {
    rig.parts = ["hang"];
    const hub = await rig.ask();
    hub.ends.swallow();
    hub.ends.hub.close();
    await rig.clock.advance(15_000);
    await expectNothingLeft();
  });
});

describe("[TU4] a tunnel that ends, by the hub or on the way, ends the read at once, and the session says so", () => {
  test.each([
    ["in order", undefined],
    ["with a break", new FlotillaError("UNAVAILABLE", "nobody waits for the answer")],
  ])("%s", async (_what, error) => {
    rig.parts = ["{", "hang"];
    const hub = await rig.ask();
    expect(rig.openReadCount).toBe(1);
    hub.ends.hub.close(error);
    await settle();
    expect(rig.openReadCount).toBe(0);
    expect(rig.count("UNAVAILABLE")).toBe(1);
    expect(rig.told).toEqual(["tun_1 UNAVAILABLE: the tunnel was closed before the response was complete"]);
    await expectNothingLeft();
  });
});

describe("[TU5] an agent opens 32 at the most", () => {
  test("the 33rd is left out, counted, written down and told; a place is free when one is over", async () => {
    for (let at = 1; at <= 33; at += 1) rig.open(offerOf(at));
    await settle();
    expect(rig.streams).toHaveLength(32);
    expect(rig.count("OVERLOADED")).toBe(1);
    expect(rig.recorded.lines).toMatchObject([{ level: "warn", fields: { tunnel: "tun_33" } }]);
    expect(rig.told).toEqual(["tun_33 OVERLOADED: the agent has too many open tunnels; try again"]);
    rig.streams[0]!.hub.close();
    await settle();
    rig.open(offerOf(18));
    await settle();
    expect(rig.streams).toHaveLength(33);
    await rig.clock.advance(15_000);
    await expectNothingLeft();
  });
});

test("an agent that stops ends all at once, and waits for their ends", async () => {
  rig.parts = ["hang"];
  await rig.ask();
  rig.open(offerOf(2));
  await rig.tunnels[Symbol.asyncDispose]();
  expect(rig.count("UNAVAILABLE")).toBe(2);
  expect(rig.told).toEqual([]);
  expect(rig.openReadCount).toBe(0);
  rig.open(offerOf(3));
  await expectNothingLeft();
});

test("tunnels do not hold each other up", async () => {
  rig.parts = ["hang"];
  await rig.ask();
  rig.parts = [object];
  const second = await rig.ask(podRead, offerOf(2));
  expect(await second.rest()).toEqual([object, "last"]);
});

test("a part is empty or not as it came; only the last word ends the body", async () => {
  rig.parts = ["", "{}", ""];
  const hub = await rig.ask();
  const messages: unknown[] = [];
  for await (const bytes of hub.ends.hub.receive) messages.push(parseTunnelUp(bytes));
  expect(messages.map((message) => (message as { isLast: boolean }).isLast)).toEqual([false, false, false, true]);
});
