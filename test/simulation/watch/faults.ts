// SPDX-License-Identifier: Apache-2.0
// What goes wrong in the small case. Each kind of trouble is a task of its own with its own chance; when it is stopped
// it puts right what can be put right, and leaves streams that are dead without knowing it.
import type { SeededRandom } from "../../../src/base/random.ts";
import { drawDelayMs } from "../../support/sim/delay.ts";
import type { SimHost } from "../../support/sim/host.ts";
import type { SimNetwork } from "../../support/sim/network.ts";
import type { SimTask } from "../../support/sim/task.ts";
import type { World } from "../../support/sim/world.ts";

export interface FaultOptions {
  readonly world: World;
  readonly network: SimNetwork;
  readonly hub: SimHost;
  readonly clients: readonly SimHost[];
  readonly clientNames: readonly string[];
}

/** Does one fault and says how to end it. */
type Fault = (random: SeededRandom) => () => void;

interface Trouble {
  readonly name: string;
  readonly fault: Fault;
  readonly gapMs: readonly [number, number];
  readonly lastsMs: readonly [number, number];
}

/** Starts all troubles. */
export function startFaults(options: FaultOptions): readonly SimTask[] {
  const troubles: readonly Trouble[] = [
    { name: "streams", fault: strikeStream(options), gapMs: [400, 3_000], lastsMs: [0, 800] },
    { name: "links", fault: strikeLink(options), gapMs: [1_000, 5_000], lastsMs: [300, 7_000] },
    { name: "readers", fault: slowReader(options), gapMs: [1_000, 5_000], lastsMs: [1_000, 6_000] },
    { name: "crashes", fault: crashHost(options), gapMs: [1_500, 6_000], lastsMs: [50, 3_000] },
  ];
  return troubles.map((trouble) => {
    const random = options.world.random.fork(`faults ${trouble.name}`);
    return options.world.spawn(`faults ${trouble.name}`, (signal) =>
      runTrouble(options.world, trouble, random, signal),
    );
  });
}

async function runTrouble(world: World, trouble: Trouble, random: SeededRandom, signal: AbortSignal): Promise<void> {
  const pause = ([minMs, maxMs]: readonly [number, number]): Promise<void> =>
    world.clock.sleep(drawDelayMs({ minMs, maxMs }, random), signal);
  for (;;) {
    await pause(trouble.gapMs);
    const undo = trouble.fault(random);
    try {
      await pause(trouble.lastsMs);
    } finally {
      undo();
    }
  }
}

function pick<T>(random: SeededRandom, values: readonly T[]): T | undefined {
  return values[random.int(Math.max(1, values.length))];
}

function strikeStream({ network }: FaultOptions): Fault {
  return (random) => {
    const stream = pick(random, network.streams);
    const kind = random.int(6);
    if (kind === 0) {
      network.setRefusing("hub", true);
      return () => network.setRefusing("hub", false);
    }
    if (kind === 1) network.duplicateNextDial("hub");
    else if (kind === 2) stream?.blackHole();
    else if (kind === 3 && stream !== undefined) network.halfOpen(stream, random.int(2) === 0 ? "client" : "server");
    else stream?.cut();
    return () => undefined;
  };
}

function strikeLink({ network, clientNames }: FaultOptions): Fault {
  return (random) => {
    const client = pick(random, clientNames) ?? "";
    if (random.int(3) > 0) {
      network.partition(client, "hub");
      return () => network.heal(client, "hub");
    }
    network.setDelay(client, "hub", { minMs: 100, maxMs: 600 });
    return () => network.setDelay(client, "hub", { minMs: 1, maxMs: 20 });
  };
}

function slowReader({ network, clientNames }: FaultOptions): Fault {
  return (random) => {
    const host = pick(random, [...clientNames, "hub"]) ?? "";
    network.setReadDelay(host, 20 + random.int(400));
    return () => network.setReadDelay(host, 0);
  };
}

function crashHost({ hub, clients }: FaultOptions): Fault {
  return (random) => {
    const host = random.int(4) === 0 ? (pick(random, clients) ?? hub) : hub;
    host.crash(random.int(3) === 0 ? "process" : "machine");
    return () => host.restart();
  };
}
