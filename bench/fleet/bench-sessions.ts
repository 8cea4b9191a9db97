// SPDX-License-Identifier: Apache-2.0
// Many sessions on one hub: how soon a change is seen, and what the sessions cost.
import { type BenchHub, untilTrue } from "../support/bench-hub.ts";
import { MachineNoise } from "../support/machine-noise.ts";
import { quantile, reportPromise } from "../support/promise.ts";
import { changePrefix, reconnectStableMs, sharedNowMs } from "./driver-messages.ts";
import { Drivers } from "./drivers.ts";

/** Apps of each cluster: some 100 rows. */
const appCount = 16;

/** Each agent makes a change about so often. */
const changeEveryMs = 1_000;

/** How long a hub is watched that has nothing to do. */
const quietMs = 10_000;

/** From a change in an agent's table to somebody who watches the hub: 100 agents, each about a change a second. */
export async function benchLatency(hub: BenchHub, agentCount: number, forMs: number): Promise<void> {
  await using drivers = await Drivers.start(hub, { agentCount, appCount, firstNumber: 10_000 });
  const delays: number[] = [];
  const over = new AbortController();
  const take = (name: string): void => {
    if (name.startsWith(changePrefix)) delays.push(sharedNowMs() - Number(name.slice(changePrefix.length)));
  };
  const watching = hub.watchNames(await hub.changePosition(), take, over.signal);
  const noise = new MachineNoise();
  const cpuMs = hub.cpuMs;
  const changeCount = await drivers.change(changeEveryMs, forMs);
  const machine = { ...noise.stop(), hubCpuMsPerChange: (hub.cpuMs - cpuMs) / changeCount };
  await untilTrue("all changes", () => delays.length >= changeCount, 30_000);
  over.abort(new Error("the bench is over"));
  await watching;
  const sorted = delays.toSorted((a, b) => a - b);
  const more = { p50Ms: quantile(sorted, 0.5), maxMs: sorted.at(-1) ?? 0, changeCount, ...machine };
  const goal = { kind: "atMost", value: 250 } as const;
  const what = `change -> hub, p99 with ${agentCount} agents`;
  reportPromise({ bench: "fleet", what, ours: quantile(sorted, 0.99), unit: "ms", against: goal, more });
}

/** What so many sessions cost a hub with nothing to do, and how soon they are back after it ended well and badly. */
export async function benchSessions(hub: BenchHub, agentCount: number): Promise<void> {
  const beforeMib = hub.rssMib;
  const startedMs = performance.now();
  await using drivers = await Drivers.start(hub, { agentCount, appCount, firstNumber: 20_000 });
  const joinedMs = performance.now() - startedMs;
  await new Promise((resolve) => setTimeout(resolve, quietMs));
  const cpuMs = hub.cpuMs;
  await new Promise((resolve) => setTimeout(resolve, quietMs));
  const quietPercent = ((hub.cpuMs - cpuMs) / quietMs) * 100;
  const { rssMib } = hub;
  const perSessionKib = ((rssMib - beforeMib) * 1024) / agentCount;
  const what = `hub RSS with ${agentCount} sessions`;
  reportPromise({
    bench: "fleet",
    what,
    ours: rssMib,
    unit: "MiB",
    more: { beforeMib, perSessionKib, joinedSeconds: joinedMs / 1_000 },
  });
  reportPromise({
    bench: "fleet",
    what: `hub CPU with ${agentCount} quiet sessions`,
    ours: quietPercent,
    unit: "% of a core",
  });
  await benchReturn(hub, drivers, "SIGTERM");
  // Agents that have just come back still wait longer than others when they are cut off again (L12).
  await new Promise((resolve) => setTimeout(resolve, reconnectStableMs));
  await benchReturn(hub, drivers, "SIGKILL");
}

/** The default of `--admission-rate`: 1,000 agents are back within 20 s, and no sooner. */
const admissionRate = 50;

async function benchReturn(hub: BenchHub, drivers: Drivers, signal: NodeJS.Signals): Promise<void> {
  await hub.stop(signal);
  const readyMs = await hub.start();
  const { dialCount } = drivers;
  const startedMs = performance.now();
  await drivers.untilLive();
  const ours = (performance.now() - startedMs) / 1_000;
  const what = `return of ${drivers.agentCount} sessions after ${signal}, from ready`;
  const more = {
    readySeconds: readyMs / 1_000,
    admittedSeconds: drivers.agentCount / admissionRate,
    dialsPerSession: (drivers.dialCount - dialCount) / drivers.agentCount,
    hubCpuMsPerSession: hub.cpuMs / drivers.agentCount,
  };
  reportPromise({ bench: "fleet", what, ours, unit: "s", more });
}
