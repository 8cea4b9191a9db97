// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import type { StreamEnd } from "../../session/transport.ts";
import { maxObjectBytes } from "../../session/tunnel/tunnel.ts";
import { encodeBody } from "../../session/tunnel/tunnel-messages.ts";
import { TunnelRig } from "./testing/tunnel-rig.ts";

let rig: TunnelRig;

beforeEach(() => {
  rig = new TunnelRig();
});

describe("[TU5] bounds", () => {
  test("the 17th of a cluster is told to try again, others are not; a place is free when one is over", async () => {
    const asked = Array.from({ length: 16 }, () => rig.ask());
    const over = rig.ask();
    const other = rig.ask("west");
    await settle();
    expect(over.outcome()).toBe("OVERLOADED: too many objects of east are being read at the same time; try again");
    expect(other.outcome()).toBeUndefined();
    expect(rig.offers).toHaveLength(17);
    asked[3]!.leave();
    await settle();
    const next = rig.ask();
    await settle();
    expect(next.outcome()).toBeUndefined();
    expect(rig.count("OVERLOADED")).toBe(1);
    expect(rig.recorded.lines[0]!.fields).toMatchObject({ outcome: "OVERLOADED", user: "ann", name: "web-1" });
  });

  test("the 257th of the hub is told to try again", async () => {
    for (let at = 0; at < 256; at += 1) rig.ask(`cluster-${at % 16}`);
    const over = rig.ask("cluster-16");
    await settle();
    expect(over.outcome()).toBe("OVERLOADED: too many objects are being read at the same time; try again");
    expect(rig.offers).toHaveLength(256);
    await rig.clock.advance(15_000);
    rig.ask("cluster-16");
    await settle();
    expect(rig.offers).toHaveLength(257);
  });

  test("an object of the most bytes comes whole, in parts of any size", async () => {
    const ends = await rig.open();
    const whole = new Uint8Array(maxObjectBytes).fill(0x61);
    for (let at = 0; at < whole.length; at += 99_991)
      await ends.agent.send(encodeBody(whole.subarray(at, at + 99_991), at + 99_991 >= whole.length));
    ends.agent.close();
    await settle();
    expect(ends.outcome()?.length).toBe(maxObjectBytes);
    expect(/^a+$/.test(ends.outcome() ?? "")).toBe(true);
  });

  test("one byte more is TOO_LARGE, and the agent is cut off at once", async () => {
    const ends = await rig.open();
    for (let at = 0; at < maxObjectBytes; at += 100_000)
      await ends.agent.send(encodeBody(new Uint8Array(Math.min(100_000, maxObjectBytes - at)), false));
    await settle();
    expect([ends.outcome(), ends.hub.state]).toEqual([undefined, "open"]);
    await ends.agent.send(encodeBody(new Uint8Array(1), false));
    await settle();
    expect(ends.outcome()).toBe(`TOO_LARGE: the agent sent more than ${maxObjectBytes} bytes, the limit of one object`);
    await rig.expectNothingLeft();
  });

  test("of one address 1,024 streams that have shown no ticket wait at the most; one that is over frees its place", async () => {
    const ends = Array.from({ length: 1_024 }, () => rig.dial("10.0.0.9:1"));
    expect(await rig.dial("10.0.0.9:2").hub.closed).toMatchObject({ error: { code: "OVERLOADED" } });
    expect(rig.dial("10.0.0.8:1").hub.state).toBe("open");
    ends[0]!.agent.close();
    await settle();
    expect(rig.dial("10.0.0.9:3").hub.state).toBe("open");
    await rig.clock.advance(15_000);
    await rig.expectNothingLeft();
  });

  test("a stream that is over frees its place also where its reader waits on", async () => {
    const never: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
    };
    for (let at = 0; at < 1_024; at += 1) {
      const { promise: closed, resolve } = Promise.withResolvers<Awaited<StreamEnd["closed"]>>();
      const close = (): void => resolve({ kind: "ended" });
      rig.broker.accept({ send: async () => undefined, receive: never, close, closed }, "10.0.0.9:1");
    }
    expect(rig.dial("10.0.0.9:2").hub.state).toBe("closed");
    await rig.clock.advance(15_000);
    expect(rig.dial("10.0.0.9:3").hub.state).toBe("open");
  });
});
