// SPDX-License-Identifier: Apache-2.0
import type { KubeSource } from "../../../src/kube/kube-source.ts";
import type { Crash } from "../../support/sim/task.ts";
import { runCopy } from "./agent.ts";
import type { Cast } from "./cast.ts";
import { type Fault, nothing, pick, type Trouble } from "./fault.ts";
import { watchesAreLate } from "./late-watches.ts";

/** What happens to processes and machines, and what an administrator does. */
export function hostFaults(cast: Cast): readonly Trouble[] {
  return [
    { name: "agents", fault: crashAgent(cast), gapMs: [500, 8_000], lastsMs: [0, 6_000] },
    { name: "hub", fault: crashHub(cast), gapMs: [2_000, 9_000], lastsMs: [0, 4_000] },
    { name: "hub step", fault: crashHubInStep(cast), gapMs: [500, 8_000], lastsMs: [500, 4_000] },
    { name: "copy", fault: copyAgent(cast), gapMs: [500, 4_000], lastsMs: [1_000, 12_000] },
    { name: "agent step", fault: crashAgentInStep(cast), gapMs: [500, 6_000], lastsMs: [500, 4_000] },
    { name: "backup", fault: restoreBackup(cast), gapMs: [1_000, 12_000], lastsMs: [500, 9_000] },
    { name: "handover", fault: handOver(cast), gapMs: [500, 4_000], lastsMs: [6_000, 16_000] },
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

/**
 * The agent's process goes down within a call of its own: a request to its API server, or a message to or from the hub.
 */
function crashAgentInStep({ world, agents }: Cast): Fault {
  return (random) => {
    const { host, steps, name } = pick(random, agents);
    steps.crashAfter(1 + random.int(40), () => {
      world.trace.add(`${name} crashes in a step`);
      host.crash("process");
    });
    return () => {
      steps.crashAfter(0, nothing);
      host.restart();
    };
  };
}

/** A copy of both databases is made; later the hub is lost with its machine, and goes on from the copy (SI24). */
function restoreBackup(cast: Cast): Fault {
  const { storeDisk, logDisk, hubHost, judge } = cast;
  return () => {
    if (storeDisk.calls.length === 0 || logDisk.calls.length === 0) return nothing;
    const [store, log] = [storeDisk.backup(), logDisk.backup()];
    return () => {
      takeHubDown(cast, "machine");
      storeDisk.restore(store);
      logDisk.restore(log);
      judge.goBack();
      hubHost.restart();
    };
  };
}

/** The hub goes down within a call of its own: as a message passes its door, or while its log works. */
function crashHubInStep(cast: Cast): Fault {
  return (random) => {
    cast.hub.steps.crashAfter(random.int(15), () => {
      cast.world.trace.add(`${cast.hubAt} crashes in a step`);
      takeHubDown(cast, random.int(3) === 0 ? "process" : "machine");
    });
    return () => {
      cast.hub.steps.crashAfter(0, nothing);
      cast.hubHost.restart();
    };
  };
}

function takeHubDown({ hub, hubHost, judge, logDisk }: Cast, how: Crash): void {
  hubHost.crash(how);
  hub.forget();
  if (how === "machine") judge.checkAcknowledged(logDisk);
}

/**
 * As a rollout that starts the next before it stops the last: a second process waits, the first one leaves in order,
 * and comes back later.
 */
function handOver({ world, network, agents, hasLateCopies, hubHosts }: Cast): Fault {
  let count = 0;
  return (random) => {
    const { cluster, host } = pick(random, agents);
    count += 1;
    const name = `copy-for-handover-${count}-of-${cluster.id}`;
    const wrapSource = (source: KubeSource): KubeSource =>
      hasLateCopies ? watchesAreLate(source, world.clock) : source;
    const next = world.spawn(name, (signal) =>
      runCopy({ world, network, cluster, name, wrapSource, hubHosts }, signal),
    );
    const cancel = world.clock.setTimer(1_000 + random.int(6_000), () => host.stop());
    return () => {
      cancel();
      next.stop();
      if (host.isRunning) host.crash("process");
      host.restart();
    };
  };
}

/**
 * The same key in a second process, as after a copied Secret: it has another agent id and collects from the same
 * cluster.
 */
function copyAgent({ world, network, agents, hubHosts }: Cast): Fault {
  let copyCount = 0;
  return (random) => {
    const { cluster } = pick(random, agents);
    copyCount += 1;
    const name = `copy-${copyCount}-of-${cluster.id}`;
    const task = world.spawn(name, (signal) => runCopy({ world, network, cluster, name, hubHosts }, signal));
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
