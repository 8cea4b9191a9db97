// SPDX-License-Identifier: Apache-2.0
// Anybody may call Tunnel, and learns nothing by it; nobody may call GetObject without a right to.
import { readFileSync } from "node:fs";
import { createClient } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "../../src/base/system-random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { createHubTransport } from "../../src/rpc/client/client.ts";
import { createTunnelTransport, type TunnelTransport } from "../../src/rpc/session/session-transport.ts";
import { ticketBytes } from "../../src/session/tunnel/tunnel.ts";
import { encodeBody, encodeOpening } from "../../src/session/tunnel/tunnel-messages.ts";
import { startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { openTunnelBench, type TunnelBench } from "../support/tunnel-bench.ts";

const never = new AbortController().signal;
const noSuchTunnel = { code: "NOT_FOUND", message: "there is no such tunnel" };

/** Opens a tunnel with that first message and waits for what the hub says to it. */
async function show(transport: TunnelTransport, first: Uint8Array): Promise<Uint8Array | undefined> {
  const end = await transport.dial(never);
  try {
    await end.send(first).catch(() => undefined); // a stream that ended first says why below
    for await (const message of end.receive) return message;
    return undefined;
  } finally {
    end.close();
  }
}

describe("a stranger who calls Tunnel", () => {
  let bench: TunnelBench;
  let stranger: TunnelTransport;

  beforeEach(async () => {
    bench = await openTunnelBench();
    stranger = createTunnelTransport({ ...bench.wire, clock: systemClock });
  });

  afterEach(async () => {
    stranger[Symbol.dispose]();
    await bench[Symbol.asyncDispose]();
  });

  /** A question that waits, as its agent hears nothing; the stranger knows its id. */
  const askUnheard = async (): Promise<{
    readonly tunnelId: string;
    readonly ticket: Uint8Array;
    leave(): Promise<void>;
  }> => {
    bench.setDeaf(true);
    const leaving = new AbortController();
    const asked = bench.ask("cart", leaving.signal).catch(() => undefined);
    bench.setDeaf(false);
    const { tunnelId, ticket } = bench.offers.at(-1) ?? expect.unreachable();
    return {
      tunnelId,
      ticket,
      async leave() {
        leaving.abort(new Error("the test is over"));
        await asked;
      },
    };
  };

  test("[TU2] is told that there is no such tunnel, and nothing else: without a ticket, with a wrong, short or long one, of another tunnel, and with anything but a ticket", async () => {
    const { tunnelId, ticket, leave } = await askUnheard();
    const almost = Uint8Array.from(ticket);
    almost[ticketBytes - 1] = (almost[ticketBytes - 1] ?? 0) ^ 1;
    const firsts = [
      encodeOpening("", new Uint8Array()),
      encodeOpening("tun_none", ticket),
      encodeOpening("__proto__", ticket),
      encodeOpening(tunnelId, new Uint8Array()),
      encodeOpening(tunnelId, new Uint8Array(ticketBytes)),
      encodeOpening(tunnelId, almost),
      encodeOpening(tunnelId, ticket.subarray(1)),
      encodeOpening(tunnelId, Buffer.concat([ticket, new Uint8Array(1)])),
      encodeBody(new Uint8Array(), true),
    ];
    for (const first of firsts) await expect(show(stranger, first)).rejects.toMatchObject(noSuchTunnel);
    expect(await show(stranger, encodeOpening(tunnelId, ticket))).toBeInstanceOf(Uint8Array);
    await leave();
  });

  test("[TU2] is told the same with a ticket that was used, whether its tunnel is open or over, and with one that came too late", async () => {
    const hanging = Promise.withResolvers<Uint8Array>();
    let isAsked = false;
    bench.setReader(() => {
      isAsked = true;
      return hanging.promise;
    });
    const answered = bench.ask("cart");
    await expect.poll(() => isAsked).toBe(true);
    const { tunnelId, ticket } = bench.offers.at(-1) ?? expect.unreachable();
    await expect(show(stranger, encodeOpening(tunnelId, ticket))).rejects.toMatchObject(noSuchTunnel);
    hanging.resolve(Buffer.from("whole"));
    expect(String(await answered)).toBe("whole");
    await expect(show(stranger, encodeOpening(tunnelId, ticket))).rejects.toMatchObject(noSuchTunnel);

    const late = await askUnheard();
    await bench.clock.advance(15_000);
    await expect(show(stranger, encodeOpening(late.tunnelId, late.ticket))).rejects.toMatchObject(noSuchTunnel);
    const left = await askUnheard();
    await left.leave();
    await expect(show(stranger, encodeOpening(left.tunnelId, left.ticket))).rejects.toMatchObject(noSuchTunnel);
    const over = await askUnheard();
    bench.endSession();
    await expect(show(stranger, encodeOpening(over.tunnelId, over.ticket))).rejects.toMatchObject(noSuchTunnel);
    await over.leave();
  });

  test("[TU2] 1,100 of them leave nothing behind, take no room from others, and are written nowhere as questions", async () => {
    // More than may wait from one address at a time: one that was not counted out would be missed here.
    for (let round = 0; round < 22; round += 1) {
      const shown = Array.from({ length: 50 }, (_, at) =>
        show(stranger, encodeOpening(`tun_${round}-${at}`, new Uint8Array(ticketBytes))),
      );
      for (const outcome of await Promise.allSettled(shown))
        expect(outcome).toMatchObject({ status: "rejected", reason: noSuchTunnel });
    }
    await bench.untilQuiet();
    expect(bench.hubLog.lines.filter(({ fields }) => "tunnel" in fields)).toEqual([]);
    expect(String(await bench.ask("cart"))).toBe("cart");
  });

  test("[TU5] who shows nothing is left at the deadline", async () => {
    const ends = await Promise.all(Array.from({ length: 10 }, () => stranger.dial(never)));
    await expect.poll(() => bench.tunnelsFrom.length).toBe(ends.length);
    expect(bench.clock.timerCount).toBe(ends.length);
    expect(String(await bench.ask("cart"))).toBe("cart");
    await bench.clock.advance(15_000);
    for (const end of ends)
      expect(await end.closed).toMatchObject({ kind: "failed", error: { code: "DEADLINE_EXCEEDED" } });
    await bench.untilQuiet();
  });
});

test("[TU2][TU10] of a whole hub: Tunnel asks for a ticket alone; GetObject for a token, then for a right, and only then whether there is such a cluster", async () => {
  using folder = openTempFolder();
  await using hub = await startHub(folder.path);
  const { hubUrl: url, caFile } = hub.record;
  const asNobody = createHubTransport({ url, caFile, clock: systemClock, random: systemRandom });
  const wanted = { cluster: "east", kind: "pods", namespace: "shop", name: "cart" };
  const tokenOf = async (user: string, groups: string[]): Promise<string> => {
    const wish = { user, groups, description: "", ttlSeconds: 0 };
    return (await createClient(TokenService, hub.connect()).createToken(wish)).secret;
  };
  try {
    await expect(createClient(QueryService, asNobody).getObject(wanted)).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
    for (const groups of [[], ["flotilla:nobody"]]) {
      const token = await tokenOf("otto", groups);
      const asked = createClient(QueryService, hub.connect(token)).getObject(wanted);
      await expect(asked).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    }
    for (const groups of [["flotilla:viewers"], ["flotilla:operators"], ["flotilla:admins"]]) {
      const token = await tokenOf("vera", groups);
      const asked = createClient(QueryService, hub.connect(token)).getObject(wanted);
      await expect(asked).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    using stranger = createTunnelTransport({
      url,
      ca: readFileSync(caFile ?? "", "utf8"),
      clock: systemClock,
      connectTimeoutMs: 10_000,
      maxMessageBytes: 4_000_000,
    });
    const opening = encodeOpening("tun_none", new Uint8Array(ticketBytes));
    await expect(show(stranger, opening)).rejects.toMatchObject(noSuchTunnel);
  } finally {
    asNobody.close();
  }
});
