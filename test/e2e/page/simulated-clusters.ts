// SPDX-License-Identifier: Apache-2.0
// Many clusters without API servers: a process that runs the agent's own session code on generated rows, over TLS,
// through a proxy that can be cut.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createClient } from "@connectrpc/connect";
import { expect } from "vitest";
import type { DriverNews, DriverPlan } from "../../../bench/fleet/driver-messages.ts";
import { JoinTokenService } from "../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { eventually } from "../fleet/eventually.ts";
import type { HubAddress, HubView } from "../fleet/hub-view.ts";
import { TcpProxy } from "../fleet/tcp-proxy.ts";

/** Apps of each cluster: some twenty rows. */
const appCount = 3;

/** A join and a session each, at the rate at which the hub admits them, on a machine that is busy. */
const joinLimitMs = 150_000;

/** The clusters of one region, named by it and a number. Close them. */
export class SimulatedClusters {
  readonly #child: ChildProcess;
  readonly #proxy: TcpProxy;
  readonly #count: number;
  #liveCount = 0;

  private constructor(plan: DriverPlan, proxy: TcpProxy) {
    this.#proxy = proxy;
    this.#count = plan.agentCount;
    const entry = new URL("../../../bench/fleet/driver-process.ts", import.meta.url);
    this.#child = fork(entry, [JSON.stringify(plan)], { execArgv: [] });
    this.#child.on("message", (news: DriverNews) => {
      if (news.kind === "live") this.#liveCount = news.count;
    });
  }

  static async start(
    { hub, address }: { readonly hub: HubView; readonly address: HubAddress },
    { region, count }: { readonly region: string; readonly count: number },
  ): Promise<SimulatedClusters> {
    const namePrefix = `${region}-`;
    const tokens = createClient(JoinTokenService, hub.transport);
    const request = { namePattern: `${namePrefix}*`, uses: count, ttlSeconds: 3_600 };
    const { secret: joinToken, hubName } = await tokens.createJoinToken(request);
    const proxy = await TcpProxy.open(Number(new URL(address.hubUrl).port));
    const plan: DriverPlan = {
      url: `https://127.0.0.1:${proxy.port}`,
      ca: readFileSync(address.caFile, "utf8"),
      hubName,
      joinToken,
      namePrefix,
      firstNumber: 100,
      agentCount: count,
      appCount,
      region,
    };
    return new SimulatedClusters(plan, proxy);
  }

  /** Until each has a session whose rows the hub has. */
  async untilLive(): Promise<void> {
    await eventually(() => expect(this.#liveCount).toBe(this.#count), joinLimitMs);
  }

  /** Ends every session in the same moment, and refuses others. */
  cut(): void {
    this.#proxy.set("reset");
  }

  heal(): void {
    this.#proxy.set("open");
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, "exit");
      this.#child.disconnect();
      await ended;
    }
    await this.#proxy.close();
  }
}
