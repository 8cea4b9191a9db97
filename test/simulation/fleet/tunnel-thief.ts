// SPDX-License-Identifier: Apache-2.0
// Somebody who reaches the hub and has no ticket: shows what a ticket might be, and would answer anything.
import { FlotillaError } from "../../../src/base/error.ts";
import type { SeededRandom } from "../../../src/base/random.ts";
import { tunnelDeadlineMs } from "../../../src/hub/tunnels/tunnel-broker.ts";
import type { StreamEnd } from "../../../src/session/transport.ts";
import { ticketBytes } from "../../../src/session/tunnel/tunnel.ts";
import { encodeBody, encodeOpening } from "../../../src/session/tunnel/tunnel-messages.ts";
import type { SimNetwork } from "../../support/sim/network.ts";
import type { World } from "../../support/sim/world.ts";
import { pick } from "./fault.ts";
import { tunnelService } from "./hub.ts";
import type { Offer, TunnelJudge } from "./tunnel-judge.ts";

/** What it would pass for an object. */
const forged = new TextEncoder().encode('{"kind":"Pod","metadata":{"name":"forged"}}');

/** Longer than the hub waits for anything: a stream that works is ended by the hub. */
const patienceMs = 50_000;

export interface ThiefOptions {
  /** Its host, and its chance. */
  readonly name: string;
  readonly world: World;
  readonly network: SimNetwork;
  readonly judge: TunnelJudge;
}

/** Comes again and again until the signal aborts; resolves when the last stream has ended. */
export async function runThief(options: ThiefOptions, signal: AbortSignal): Promise<void> {
  const { world, network, name } = options;
  const random = world.random.fork(name);
  while (!signal.aborted) {
    await world.clock.sleep(200 + random.int(1_500), signal);
    try {
      await tryOnce(options, await network.dial({ from: name, to: "hub", service: tunnelService }, signal), random);
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason; // the hub is away, or has let go of the stream
    }
  }
}

async function tryOnce(options: ThiefOptions, end: StreamEnd, random: SeededRandom): Promise<void> {
  const cancel = options.world.clock.setTimer(patienceMs, () => end.close());
  try {
    const first = drawFirst(options, random);
    if (first !== undefined) await end.send(first);
    for await (const _question of end.receive) {
      await end.send(encodeBody(forged, false));
      await end.send(encodeBody(new Uint8Array(), true));
    }
  } finally {
    cancel();
    end.close();
  }
}

/** Undefined: says nothing at all. */
function drawFirst({ world, judge }: ThiefOptions, random: SeededRandom): Uint8Array | undefined {
  const nowMs = world.clock.nowMs();
  const offers = [...judge.offers.values()].filter(({ atMs }) => atMs > nowMs - 2 * tunnelDeadlineMs);
  const isSpent = ({ isTold, sessionOverAtMs }: Offer): boolean => isTold || sessionOverAtMs < nowMs;
  const spent = pickLast(offers.filter(isSpent), random);
  const pending = offers.filter((offer) => !isSpent(offer));
  const wanted = pickLast(pending, random);
  const ofOthers = pending.filter(({ cluster }) => cluster !== wanted?.cluster);
  const { tunnelId, ticket } = pick(random, [
    { tunnelId: wanted?.tunnelId ?? "tun_unknown", ticket: random.bytes(ticketBytes) },
    { tunnelId: wanted?.tunnelId ?? "", ticket: pickLast(ofOthers, random)?.ticket ?? new Uint8Array() },
    { tunnelId: spent?.tunnelId ?? "", ticket: spent?.ticket ?? new Uint8Array() },
  ]);
  const shown = encodeOpening(tunnelId, ticket);
  return random.int(6) === 0
    ? undefined
    : pick(random, [shown, shown, shown, random.bytes(40), encodeBody(forged, true)]);
}

/** One of the newest. */
function pickLast(offers: readonly Offer[], random: SeededRandom): Offer | undefined {
  return offers.length === 0 ? undefined : pick(random, offers.slice(-5));
}
