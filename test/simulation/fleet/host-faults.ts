// SPDX-License-Identifier: Apache-2.0
import type { Crash } from "../../support/sim/task.ts";
import { runCopy } from "./agent.ts";
import type { Cast } from "./cast.ts";
import { type Fault, nothing, pick, type Trouble } from "./fault.ts";

/** What happens to processes and machines, and what an administrator does. */
export function hostFaults(cast: Cast): readonly Trouble[] {
  return [
    { name: "agents", fault: crashAgent(cast), gapMs: [500, 8_000], lastsMs: [0, 6_000] },
    { name: "hub", fault: crashHub(cast), gapMs: [2_000, 9_000], lastsMs: [0, 4_000] },
    { name: "hub step", fault: crashHubInStep(cast), gapMs: [500, 8_000], lastsMs: [500, 4_000] },
    { name: "copy", fault: copyAgent(cast), gapMs: [500, 4_000], lastsMs: [1_000, 12_000] },
    { name: "pause", fault: pauseCluster(cast), gapMs: [4_000, 40_000], lastsMs: [500, 4_000] },
  ];
}

function crashAgent({ agents }: Cast): Fault {
  return (random) => {
    const { host } = pick(random, agents);
    host.crash(random.int(2) === 0 ? "process" : "machine");
    return () => host.restart();
  };
}

function crashHub(cast: Cast): Fault {
  return (random) => {
    takeHubDown(cast, random.int(2) === 0 ? "process" : "machine");
    return () => cast.hubHost.restart();
  };
}

/** The hub goes down within a call of its own: as a message passes its door, or while its log works. */
function crashHubInStep(cast: Cast): Fault {
  return (random) => {
    cast.hub.crashAfter(random.int(15), () => takeHubDown(cast, random.int(3) === 0 ? "process" : "machine"));
    return () => {
      cast.hub.crashAfter(0, nothing);
      cast.hubHost.restart();
    };
  };
}

function takeHubDown({ hub, hubHost, judge, logDisk }: Cast, how: Crash): void {
  hubHost.crash(how);
  hub.forget();
  if (how === "machine") judge.checkAcknowledged(logDisk);
}

/** The same key in a second process, as after a copied Secret: it has another agent id and collects from the same cluster. */
function copyAgent({ world, network, agents }: Cast): Fault {
  let copyCount = 0;
  return (random) => {
    const { cluster } = pick(random, agents);
    copyCount += 1;
    const name = `copy-${copyCount}-of-${cluster.id}`;
    const task = world.spawn(name, (signal) => runCopy({ world, network, cluster, name }, signal));
    return () => task.stop();
  };
}

function pauseCluster({ hub, clusters }: Cast): Fault {
  return (random) => {
    const { id } = pick(random, clusters);
    hub.wishPaused(id, true);
    return () => hub.wishPaused(id, false);
  };
}
