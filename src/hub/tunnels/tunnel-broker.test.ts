// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import { encodeBody, encodeOpening, encodeRefusal, parseTunnelDown } from "../../session/tunnel/tunnel-messages.ts";
import { nextOf, podRead, TunnelRig } from "./testing/tunnel-rig.ts";

const object = '{"kind":"Pod","spec":{"env":"marker"}}';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

let rig: TunnelRig;

beforeEach(() => {
  rig = new TunnelRig();
});

describe("a question and its answer", () => {
  test("[TU1] [TU9] the session tells id, ticket and deadline; who shows the ticket hears what is asked, and its bytes are the answer", async () => {
    const asked = rig.ask();
    await settle();
    expect(rig.offers).toEqual([
      { cluster: "east", tunnelId: expect.stringMatching(/^tun_/), ticket: expect.any(Uint8Array), deadlineMs: 15_000 },
    ]);
    expect(rig.offers[0]!.ticket).toHaveLength(32);
    const ends = await rig.show(rig.offers[0]!);
    expect(parseTunnelDown((await nextOf(ends)) as Uint8Array)).toEqual(podRead);
    for (const part of [object.slice(0, 5), "", object.slice(5)])
      await ends.agent.send(encodeBody(bytesOf(part), false));
    await settle();
    expect(asked.outcome()).toBeUndefined();
    await ends.agent.send(encodeBody(bytesOf(""), true));
    ends.agent.close();
    await settle();
    expect(asked.outcome()).toBe(object);
    expect(rig.count("OK")).toBe(1);
    await rig.expectNothingLeft();
  });

  test("[TU11] it is written down who asked for what, what came of it and how long it took; no value of the object", async () => {
    const ends = await rig.open();
    await rig.clock.advance(230);
    await ends.agent.send(encodeBody(bytesOf(object), true));
    ends.agent.close();
    await settle();
    expect(rig.recorded.lines).toEqual([
      {
        level: "info",
        message: "object read for a user",
        fields: {
          tunnel: rig.offers[0]!.tunnelId,
          cluster: "east",
          user: "ann",
          resource: "pods",
          namespace: "shop",
          name: "web-1",
          outcome: "OK",
          tookMs: 230,
        },
        error: undefined,
      },
    ]);
    expect(JSON.stringify(rig.recorded.lines)).not.toContain("marker");
  });

  test("[TU8] what the agent refuses is told in its words, with its code", async () => {
    const ends = await rig.open();
    await ends.agent.send(encodeRefusal(new FlotillaError("PERMISSION_DENIED", 'pods "web-1" is forbidden')));
    ends.agent.close();
    await settle();
    expect(ends.outcome()).toBe('PERMISSION_DENIED: pods "web-1" is forbidden');
    expect(rig.count("PERMISSION_DENIED")).toBe(1);
    expect(rig.recorded.lines[0]!.fields["outcome"]).toBe("PERMISSION_DENIED");
    await rig.expectNothingLeft();
  });

  test("an answer or a refusal ends the tunnel in order, and one that the agent does not end is left after 5 s", async () => {
    const endings: unknown[] = [];
    for (const last of [encodeBody(bytesOf(object), true), encodeRefusal(new FlotillaError("NOT_FOUND", "no"))]) {
      const ends = await rig.open();
      await ends.agent.send(last);
      await settle();
      expect(ends.outcome()).toBeDefined();
      await rig.clock.advance(4_999);
      expect(ends.hub.state).toBe("open");
      await rig.clock.advance(1);
      endings.push(await ends.agent.closed);
    }
    expect(endings).toEqual([{ kind: "ended" }, { kind: "ended" }]);
    await rig.expectNothingLeft();
  });
});

describe("[TU4] after 15 s the asker is told, whatever the agent does", () => {
  const late = "DEADLINE_EXCEEDED: an answer of the agent of east did not come within 15000 ms";

  test("it never dials", async () => {
    const asked = rig.ask();
    await rig.clock.advance(14_999);
    expect(asked.outcome()).toBeUndefined();
    await rig.clock.advance(1);
    expect(asked.outcome()).toBe(late);
    expect(rig.count("DEADLINE_EXCEEDED")).toBe(1);
    await rig.expectNothingLeft();
  });

  test("it dials and says nothing", async () => {
    const asked = rig.ask();
    const ends = rig.dial();
    await rig.clock.advance(15_000);
    expect(asked.outcome()).toBe(late);
    expect(await ends.hub.closed).toMatchObject({
      error: { code: "DEADLINE_EXCEEDED", message: "no ticket was presented in time" },
    });
    await rig.expectNothingLeft();
  });

  test.each([
    ["it shows its ticket and nothing more", []],
    ["it sends half of a body", [encodeBody(bytesOf(object.slice(0, 9)), false)]],
  ])("%s", async (_what, parts) => {
    const ends = await rig.open();
    for (const part of parts) await ends.agent.send(part);
    await rig.clock.advance(15_000);
    expect(ends.outcome()).toBe(late);
    expect(await ends.agent.closed).toMatchObject({ kind: "failed" });
    await rig.expectNothingLeft();
  });

  test("it sends without end, a byte at a time or none", async () => {
    const ends = await rig.open();
    let partCount = 0;
    rig.clock.setTimer(0, function send() {
      if (ends.agent.state !== "open") return;
      partCount += 1;
      void ends.agent.send(encodeBody(new Uint8Array(partCount % 2), false));
      rig.clock.setTimer(10, send);
    });
    await rig.clock.advance(15_010);
    expect(ends.outcome()).toBe(late);
    expect(partCount).toBe(1_500);
    await rig.expectNothingLeft();
  });

  test("the network swallows everything after the ticket", async () => {
    const ends = await rig.open();
    ends.swallow();
    await ends.agent.send(encodeBody(bytesOf(object), true));
    await rig.clock.advance(15_000);
    expect(ends.outcome()).toBe(late);
    expect(ends.hub.state).toBe("closed");
    expect(rig.clock.timerCount).toBe(0);
  });

  test("the question itself does not go out", async () => {
    const asked = rig.ask("east", { ...podRead, groups: Array.from({ length: 900 }, () => "g".repeat(300)) });
    await settle();
    // More than the window holds: the send is refused, and that is told at once.
    await rig.show(rig.offers[0]!);
    expect(asked.outcome()).toMatch(/^TOO_LARGE/);
    await rig.expectNothingLeft();
  });
});

describe("[TU4] an agent that says in its session that a tunnel failed", () => {
  const unreachable = new FlotillaError("CERTIFICATE_INVALID", "the certificate of the hub has expired");

  test("before it came: the asker is told at once, and the ticket opens nothing", async () => {
    const asked = rig.ask();
    await settle();
    rig.fail(rig.offers[0]!.tunnelId, unreachable);
    await settle();
    expect(asked.outcome()).toBe(
      "UNAVAILABLE: the agent of east could not answer: the certificate of the hub has expired",
    );
    expect((await rig.show(rig.offers[0]!)).hub.state).toBe("closed");
    expect(rig.count("UNAVAILABLE")).toBe(1);
    await rig.expectNothingLeft();
  });

  test("after it came: its stream is let go of", async () => {
    const { outcome } = await rig.open();
    rig.fail(
      rig.offers[0]!.tunnelId,
      new FlotillaError("UNAVAILABLE", "the tunnel was closed before the response was complete"),
    );
    await settle();
    expect(outcome()).toBe(
      "UNAVAILABLE: the agent of east could not answer: the tunnel was closed before the response was complete",
    );
    await rig.expectNothingLeft();
  });

  test.each([
    ["OVERLOADED", "OVERLOADED"],
    ["NOT_FOUND", "UNAVAILABLE"],
    ["PERMISSION_DENIED", "UNAVAILABLE"],
  ] as const)(
    "with %s: the asker is told %s, never that the object is not there or not theirs to see",
    async (code, told) => {
      const asked = rig.ask();
      await settle();
      rig.fail(rig.offers[0]!.tunnelId, new FlotillaError(code, "there is no such tunnel"));
      await settle();
      expect(asked.outcome()).toBe(`${told}: the agent of east could not answer: there is no such tunnel`);
    },
  );

  test.each([
    ["of another cluster", { cluster: "west" }],
    ["of another shard", { shard: "delivery" }],
    ["of an earlier session", { epoch: 0 }],
  ])("%s: ends no question", async (_what, session) => {
    const { agent, outcome } = await rig.open();
    rig.fail(rig.offers[0]!.tunnelId, unreachable, session);
    rig.fail("tun_nobodys", unreachable);
    await agent.send(encodeBody(bytesOf(object), true));
    await settle();
    expect(outcome()).toBe(object);
  });
});

describe("[TU9] an answer that breaks off is a failure", () => {
  test.each([
    ["ends without its last part", undefined],
    ["breaks", new FlotillaError("UNAVAILABLE", "gone")],
  ])("the stream %s", async (_what, error) => {
    const ends = await rig.open();
    await ends.agent.send(encodeBody(bytesOf(object), false));
    ends.agent.close(error);
    await settle();
    expect(ends.outcome()).toMatch(/^UNAVAILABLE: /);
    await rig.expectNothingLeft();
  });

  test("an agent that opens once more is cut off at once", async () => {
    const ends = await rig.open();
    await ends.agent.send(encodeOpening(rig.offers[0]!.tunnelId, rig.offers[0]!.ticket));
    await settle();
    expect(ends.outcome()).toBe("MALFORMED: the agent opened a tunnel that is already open");
    await rig.expectNothingLeft();
  });
});

describe("[TU4] a caller who leaves", () => {
  test("before the agent came: its ticket opens nothing", async () => {
    const asked = rig.ask();
    await settle();
    asked.leave();
    await settle();
    expect(asked.outcome()).toBe(": the caller left");
    expect(rig.count("left")).toBe(1);
    expect((await rig.show(rig.offers[0]!)).hub.state).toBe("closed");
    await rig.expectNothingLeft();
  });

  test("in the middle of the answer: the agent is told at once", async () => {
    const ends = await rig.open();
    await ends.agent.send(encodeBody(bytesOf(object), false));
    ends.leave();
    await settle();
    expect(await ends.agent.closed).toMatchObject({ kind: "failed" });
    expect(rig.recorded.lines[0]!.fields["outcome"]).toBe("left");
    await rig.expectNothingLeft();
  });

  test("as the ticket is shown: the stream does not stay", async () => {
    const asked = rig.ask();
    await settle();
    const ends = rig.dial();
    const shown = ends.agent.send(encodeOpening(rig.offers[0]!.tunnelId, rig.offers[0]!.ticket));
    asked.leave();
    await shown;
    await settle();
    expect(ends.hub.state).toBe("closed");
    await rig.expectNothingLeft();
  });

  test("before it was asked: no agent is told", async () => {
    const gone = AbortSignal.abort(new Error("the caller left"));
    const asked = rig.broker.readObject({ cluster: "east", read: podRead, log: rig.recorded }, gone);
    await expect(asked).rejects.toThrow("the caller left");
    expect(rig.offers).toEqual([]);
  });
});

describe("[TU3] [TU10] an agent that cannot be asked", () => {
  test("is not connected: what is known of it is told", async () => {
    rig.openTunnel = () => ({ kind: "notConnected" });
    rig.whyAway = "The agent went away 3 minutes ago.";
    const asked = rig.ask();
    await settle();
    expect(asked.outcome()).toBe(
      "UNAVAILABLE: the agent of east is not connected, so its objects cannot be read now. The agent went away 3 minutes ago.",
    );
    await rig.expectNothingLeft();
  });

  test("serves no tunnels: what to do is told", async () => {
    rig.openTunnel = () => ({ kind: "notServed" });
    const asked = rig.ask();
    await settle();
    expect(asked.outcome()).toMatch(/^PERMISSION_DENIED: the agent of east reads no objects .*--object-reads/);
    expect(rig.count("PERMISSION_DENIED")).toBe(1);
    await rig.expectNothingLeft();
  });
});

test("two hundred questions of every ending leave no stream and no timer", async () => {
  for (let at = 0; at < 200; at += 1) {
    const asked = rig.ask();
    await settle();
    if (at % 4 === 0) rig.endSession();
    else {
      const ends = await rig.show(rig.offers.at(-1)!);
      if (at % 4 === 1) await ends.agent.send(encodeBody(bytesOf(object), true));
      if (at % 4 === 2) await ends.agent.send(encodeRefusal(new FlotillaError("NOT_FOUND", "no")));
      ends.agent.close();
    }
    await settle();
    expect(asked.outcome()).toMatch([/^UNAVAILABLE/, /^\{/, /^NOT_FOUND/, /^UNAVAILABLE/][at % 4]!);
  }
  await rig.expectNothingLeft();
});
