// SPDX-License-Identifier: Apache-2.0
import type { Cast } from "./cast.ts";
import { type Fault, nothing, pick, type Trouble } from "./fault.ts";

/** What happens to streams and links. */
export function networkFaults(cast: Cast): readonly Trouble[] {
  return [
    { name: "streams", fault: strikeStream(cast), gapMs: [300, 5_000], lastsMs: [0, 800] },
    { name: "links", fault: strikeLink(cast), gapMs: [500, 6_000], lastsMs: [300, 7_000] },
    { name: "messages", fault: harmMessage(cast), gapMs: [500, 6_000], lastsMs: [0, 3_000] },
    { name: "readers", fault: slowReader(cast), gapMs: [500, 6_000], lastsMs: [1_000, 6_000] },
  ];
}

function strikeStream({ network, hubAt }: Cast): Fault {
  return (random) => {
    const kind = random.int(6);
    if (kind === 0) {
      network.setRefusing(hubAt, true);
      return () => network.setRefusing(hubAt, false);
    }
    if (kind === 1) network.duplicateNextDial(hubAt);
    if (kind === 1 || network.streams.length === 0) return nothing;
    const stream = pick(random, network.streams);
    if (kind === 2) stream.blackHole();
    else if (kind === 3) network.halfOpen(stream, random.int(2) === 0 ? "client" : "server");
    else stream.cut();
    return nothing;
  };
}

function strikeLink({ network, agents, hubAt }: Cast): Fault {
  return (random) => {
    const { name } = pick(random, agents);
    if (random.int(3) > 0) {
      network.partition(name, hubAt);
      return () => network.heal(name, hubAt);
    }
    network.setDelay(name, hubAt, { minMs: 100, maxMs: 900 });
    return () => network.setDelay(name, hubAt, { minMs: 1, maxMs: 20 });
  };
}

/**
 * One message of a live session is lost, or arrives as noise; no network does that to a stream, but a wrong proxy may.
 */
function harmMessage({ door }: Cast): Fault {
  return (random) => {
    const direction = pick(random, ["up", "down"] as const);
    door.harmNext({ fault: pick(random, ["lose", "garble"] as const), direction });
    return () => door.harmNext(undefined);
  };
}

function slowReader({ network, agents, hubAt }: Cast): Fault {
  return (random) => {
    const host = pick(random, [...agents.map(({ name }) => name), hubAt]);
    network.setReadDelay(host, 20 + random.int(400));
    return () => network.setReadDelay(host, 0);
  };
}
