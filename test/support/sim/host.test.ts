// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createStoreDisk } from "./disks.ts";
import { SimHost } from "./host.ts";
import { SimNetwork } from "./network.ts";
import { World } from "./world.ts";

test.each([
  ["process", ["failed"]],
  ["machine", []],
] as const)(
  "[SI5, SI17] when the code of a crashed %s hears of it, its streams and disks are gone; restarted, it finds its disk again",
  async (how, heardByPeer) => {
    const world = new World(1);
    const network = new SimNetwork(world);
    const disk = createStoreDisk({ world, name: "hub" });
    const lastWords: string[] = [];
    const storeIds: string[] = [];
    const peerHeard: string[] = [];
    network.listen("agent", "tunnel", (end) => void end.closed.then(({ kind }) => peerHeard.push(kind)));
    const hub = new SimHost({
      world,
      network,
      name: "hub",
      disks: [disk],
      async run(signal) {
        const port = await disk.open();
        storeIds.push((await port.state()).storeId);
        const end = await network.dial({ from: "hub", to: "agent", service: "tunnel" }, signal);
        try {
          await world.clock.sleep(60_000, signal);
        } finally {
          await end.send(new Uint8Array(1)).catch(() => lastWords.push("not sent"));
          await port.releaseLease("leader", "hub").catch(() => lastWords.push("not written"));
        }
      },
    });
    await world.run(1_000);
    hub.crash(how);
    expect(hub.isRunning).toBe(false);
    await world.run(1_000);
    expect(lastWords).toEqual(["not sent", "not written"]);
    expect(peerHeard).toEqual(heardByPeer);
    hub.restart();
    await world.run(1_000);
    expect(hub.isRunning).toBe(true);
    expect(storeIds).toEqual([storeIds[0], storeIds[0]]);
  },
);
