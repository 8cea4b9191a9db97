// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type BenchHub, untilTrue } from "../support/bench-hub.ts";
import type { DriverNews, DriverOrder, DriverPlan } from "./driver-messages.ts";

/** Until the hub holds what the cluster has, proven by its digests. */
function untilEqual(hub: BenchHub, id: string): Promise<void> {
  return untilTrue(`the first sync of ${id}`, async () => (await hub.cluster(id)).connection?.state === "live");
}

/** Two: so that what agents do is no bottleneck of one thread. */
const driverCount = 2;

/** Without any progress for so long, something is wrong and not only slow. */
const stalledMs = 120_000;

/** Processes that play agents. Close them. */
export class Drivers implements AsyncDisposable {
  readonly #children: readonly ChildProcess[];
  readonly #liveCounts: number[];
  readonly #dialCounts: number[];
  readonly agentCount: number;
  #changedCount = 0;
  #changedAnswers = 0;

  private constructor(plans: readonly DriverPlan[]) {
    this.agentCount = plans.reduce((sum, plan) => sum + plan.agentCount, 0);
    this.#liveCounts = plans.map(() => 0);
    this.#dialCounts = plans.map(() => 0);
    this.#children = plans.map((plan, at) => {
      const child = fork(new URL("./driver-process.ts", import.meta.url), [JSON.stringify(plan)], { execArgv: [] });
      child.on("message", (news: DriverNews) => this.#take(news, at));
      return child;
    });
  }

  /**
   * Starts agents of new clusters and waits until the hub has all their rows. `firstNumber` tells them from those of
   * another call.
   */
  static async start(
    hub: BenchHub,
    {
      agentCount,
      appCount,
      firstNumber,
    }: { readonly agentCount: number; readonly appCount: number; readonly firstNumber: number },
  ): Promise<Drivers> {
    const { secret: joinToken, hubName } = await hub.createJoinToken("bench-*", agentCount);
    const { url, ca } = hub.place;
    const each = agentCount / driverCount;
    const drivers = new Drivers(
      Array.from({ length: driverCount }, (_, at) => {
        const names = { namePrefix: "bench-", firstNumber: firstNumber + at * each };
        return { url, ca, hubName, joinToken, appCount, region: "eu", agentCount: each, ...names };
      }),
    );
    await drivers.untilLive();
    for (let at = 0; at < agentCount; at += 1) await untilEqual(hub, `bench-${firstNumber + at}`);
    return drivers;
  }

  get liveCount(): number {
    return sumOf(this.#liveCounts);
  }

  /** How often the agents have dialled. */
  get dialCount(): number {
    return sumOf(this.#dialCounts);
  }

  /** Rejects when two minutes pass without one more session. */
  async untilLive(): Promise<void> {
    for (let count = this.liveCount; count < this.agentCount; count = this.liveCount)
      await untilTrue(`more than ${count} of ${this.agentCount} sessions`, () => this.liveCount > count, stalledMs);
  }

  /** Has every agent change a row about that often; answers how many changes were made. */
  async change(everyMs: number, forMs: number): Promise<number> {
    this.#changedCount = 0;
    this.#changedAnswers = 0;
    const order: DriverOrder = { kind: "change", everyMs, forMs };
    for (const child of this.#children) child.send(order);
    await untilTrue("the changes", () => this.#changedAnswers === this.#children.length);
    return this.#changedCount;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null) continue;
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    }
  }

  #take(news: DriverNews, at: number): void {
    if (news.kind === "live") {
      this.#liveCounts[at] = news.count;
      this.#dialCounts[at] = news.dialCount;
    }
    if (news.kind !== "changed") return;
    this.#changedCount += news.count;
    this.#changedAnswers += 1;
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
