// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { encodeBody } from "../../session/tunnel/tunnel-messages.ts";
import { TunnelRig } from "./testing/tunnel-rig.ts";

const object = '{"kind":"Pod","spec":{"env":"marker"}}';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

let rig: TunnelRig;

beforeEach(() => {
  rig = new TunnelRig();
});

describe("[TU2] tickets", () => {
  test.each([
    ["a wrong one", { ticket: new Uint8Array(32) }],
    ["one of zero bytes", { ticket: new Uint8Array() }],
    ["one that is longer", { ticket: new Uint8Array(33) }],
    ["an id that is not known", { tunnelId: "tun_other" }],
    ["an id that objects have by themselves", { tunnelId: "__proto__" }],
  ])("%s opens nothing, and does not spoil the right one", async (_what, wrong) => {
    const asked = rig.ask();
    await settle();
    const stranger = await rig.show({ ...rig.offers[0]!, ...wrong });
    expect(await stranger.hub.closed).toMatchObject({
      kind: "failed",
      error: { code: "NOT_FOUND", message: "there is no such tunnel" },
    });
    expect(asked.outcome()).toBeUndefined();
    const ends = await rig.show(rig.offers[0]!);
    await ends.agent.send(encodeBody(bytesOf(object), true));
    ends.agent.close();
    await settle();
    expect(asked.outcome()).toBe(object);
    await rig.expectNothingLeft();
  });

  test.each<[string, (ticket: Uint8Array) => Uint8Array]>([
    ["differs in its last bit alone", (ticket) => ticket.with(31, ticket[31]! ^ 1)],
    ["goes on after its end", (ticket) => new Uint8Array([...ticket, 0])],
    ["lacks its last byte", (ticket) => ticket.subarray(0, 31)],
  ])("one that %s is wrong", async (_what, change) => {
    rig.ask();
    await settle();
    const { tunnelId, ticket } = rig.offers[0]!;
    expect((await rig.show({ tunnelId, ticket: change(ticket) })).hub.state).toBe("closed");
  });

  test("that of another tunnel, also of the same cluster, is wrong", async () => {
    rig.ask("east");
    rig.ask("east");
    rig.ask("west");
    await settle();
    const [first, second, west] = rig.offers;
    for (const { ticket } of [second!, west!])
      expect((await rig.show({ tunnelId: first!.tunnelId, ticket })).hub.state).toBe("closed");
    expect((await rig.show(first!)).hub.state).toBe("open");
  });

  test("a used one opens nothing, while the first goes on and afterwards", async () => {
    const ends = await rig.open();
    expect((await rig.show(rig.offers[0]!)).hub.state).toBe("closed");
    await ends.agent.send(encodeBody(bytesOf(object), true));
    ends.agent.close();
    await settle();
    expect(ends.outcome()).toBe(object);
    expect((await rig.show(rig.offers[0]!)).hub.state).toBe("closed");
    await rig.expectNothingLeft();
  });

  test("of two that show it at once one is heard", async () => {
    const asked = rig.ask();
    await settle();
    const pair = await Promise.all([rig.show(rig.offers[0]!), rig.show(rig.offers[0]!)]);
    expect(pair.map(({ hub }) => hub.state).toSorted()).toEqual(["closed", "open"]);
    expect(asked.outcome()).toBeUndefined();
  });

  test("after the deadline it is late", async () => {
    rig.ask();
    await rig.clock.advance(15_000);
    expect((await rig.show(rig.offers[0]!)).hub.state).toBe("closed");
    await rig.expectNothingLeft();
  });

  test("no two are alike", async () => {
    for (let at = 0; at < 16; at += 1) rig.ask();
    await settle();
    expect(new Set(rig.offers.map(({ ticket }) => ticket.join())).size).toBe(16);
    expect(new Set(rig.offers.map(({ tunnelId }) => tunnelId)).size).toBe(16);
  });

  test.each([
    ["something else than an opening", encodeBody(bytesOf(object), true), "NOT_FOUND"],
    ["what does not decode", new Uint8Array([0xff]), "MALFORMED"],
  ])("who begins with %s is turned away", async (_what, first, code) => {
    rig.ask();
    const ends = rig.dial();
    await ends.agent.send(first);
    expect(await ends.hub.closed).toMatchObject({ kind: "failed", error: { code } });
  });
});

describe("[TU2] a session that ends", () => {
  test("ends what was told in it, before and after the agent came; its tickets open nothing", async () => {
    const waiting = rig.ask();
    const ends = await rig.open();
    rig.endSession();
    await settle();
    for (const { outcome } of [waiting, ends])
      expect(outcome()).toBe("UNAVAILABLE: the session with the agent of east ended");
    expect((await rig.show(rig.offers[0]!)).hub.state).toBe("closed");
    await rig.expectNothingLeft();
  });

  test("ends it also where it ends at the very moment it is told", async () => {
    rig.openTunnel = () => {
      rig.endSession();
      return { kind: "asked", epoch: 1 };
    };
    const asked = rig.ask();
    await settle();
    expect(asked.outcome()).toBe("UNAVAILABLE: the session with the agent of east ended");
    await rig.expectNothingLeft();
  });

  test.each([
    ["of another cluster", { cluster: "west" }],
    ["that was the one before", { epoch: 0 }],
    ["of a shard that only delivers, whose epochs are its own", { shard: "blue" }],
  ])("ends nothing where it is one %s", async (_what, change) => {
    const ends = await rig.open();
    rig.endSession(change);
    await ends.agent.send(encodeBody(bytesOf(object), true));
    await settle();
    expect(ends.outcome()).toBe(object);
  });
});
