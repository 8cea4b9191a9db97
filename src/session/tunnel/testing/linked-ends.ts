// SPDX-License-Identifier: Apache-2.0
import { type Packet, SimEnd } from "../../../../test/support/sim/sim-end.ts";
import type { Clock } from "../../../base/time/clock.ts";

/** The two ends of one stream in memory, with a window as streams have it. */
export interface LinkedEnds {
  readonly agent: SimEnd;
  readonly hub: SimEnd;
  /** From now on the network drops everything without an error. */
  swallow(): void;
}

/** Of one direction: what an HTTP/2 stream holds here. */
const windowBytes = 256 * 1024;

export function linkEnds(clock: Clock): LinkedEnds {
  const link = { isSwallowing: false };
  const create = (name: string, other: () => SimEnd): SimEnd => {
    const transmit = (packet: Packet): void => {
      if (!link.isSwallowing && other().state === "open") other().take(packet);
    };
    return new SimEnd({ clock, name, windowBytes, transmit, readDelayMs: () => 0 });
  };
  const agent = create("agent to hub", () => hub);
  const hub = create("hub to agent", () => agent);
  agent.open();
  hub.open();
  return { agent, hub, swallow: () => void (link.isSwallowing = true) };
}
