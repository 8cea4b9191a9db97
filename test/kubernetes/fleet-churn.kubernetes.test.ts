// SPDX-License-Identifier: Apache-2.0
// Thousands of Pods come, are played by kwok and go, while every link and process on their way to the hub fails in
// turn.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { podKind } from "../../src/kinds/pod-kind.ts";
import type { BackgroundProgram } from "../e2e/fleet/background-program.ts";
import { listDirectly, type RowsByKey } from "../e2e/fleet/direct-rows.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { TcpProxy } from "../e2e/fleet/tcp-proxy.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { RealFleet } from "./real-fleet.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";
import { isWholeRun } from "./whole-run.ts";

const pods = "/api/v1/namespaces/default/pods";

/** The promise is 5,000 Pods; `npm test` has time for some of them. */
const podCount = isWholeRun() ? 5_000 : 800;

/** Pods at the same time, and at the end: one answer of the test's own client holds no more (16 MiB). */
const aliveCount = Math.min(1_000, podCount / 2);

/** Requests at the same time. */
const writerCount = 16;

/** Time for a churn on two busy cores, where kube-apiserver takes some 100 writes a second. */
const churnLimitMs = 300_000;

/**
 * Makes Pods in the order of their numbers, on kwok's Node, and removes each when `aliveCount` others have come after
 * it.
 */
class Churn {
  readonly #admin: KubeClient;
  readonly #signal: AbortSignal;
  #nextNumber = 0;

  constructor(admin: KubeClient, signal: AbortSignal) {
    this.#admin = admin;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: writerCount }, () => this.#write()));
  }

  /** Until that part of all Pods was begun. */
  untilPart(part: number): Promise<void> {
    return eventually(() => expect(this.#nextNumber).toBeGreaterThanOrEqual(part * podCount), churnLimitMs);
  }

  async #write(): Promise<void> {
    while (this.#nextNumber < podCount && !this.#signal.aborted) {
      const number = this.#nextNumber;
      this.#nextNumber += 1;
      const spec = { nodeName: "kwok-1", containers: [{ name: "app", image: `example.com/app:${number % 7}` }] };
      const metadata = { name: `churn-${number}`, labels: { number: String(number) } };
      await this.#admin.ask("POST", pods, { body: { metadata, spec } });
      if (number >= aliveCount) {
        await this.#admin.ask("DELETE", `${pods}/churn-${number - aliveCount}?gracePeriodSeconds=0`);
      }
    }
  }
}

/** The phases of Pods of the churn, and how many have them. */
function phasesIn(rows: RowsByKey): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const [key, row] of Object.entries(rows)) {
    if (!key.startsWith("pods default/churn-")) continue;
    const { phase } = (row as { readonly columns: { readonly phase: string } }).columns;
    counts.set(phase, (counts.get(phase) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** What is left at the end: all that was not removed, and kwok has played every one. */
const played = { Running: aliveCount };

// Each cluster falls three times at the most: more would be flapping, which is shown live later (HE6).
describeOnWholeRun("a fleet under churn", ["controllers", "kwok"], (kit) => {
  const fleet = new RealFleet();
  let cluster: KubernetesCluster;
  let admin: KubeClient;
  let agent: BackgroundProgram;
  let toHub: TcpProxy;
  let toApiServer: TcpProxy;

  const start = (): BackgroundProgram =>
    fleet.startAgent("busy", cluster, { hubPort: toHub.port, apiServerPort: toApiServer.port });

  beforeAll(async () => {
    [cluster] = await Promise.all([startCluster({ kit, controllers: true, kwok: true }), fleet.startHub()]);
    admin = cluster.connect("admin", writerCount);
    await fleet.install("busy", cluster, kit);
    toHub = await TcpProxy.open(fleet.hubPort);
    toApiServer = await TcpProxy.open(Number(new URL(cluster.url).port));
    agent = start();
    await fleet.hub.untilEqual("busy", admin);
  });

  afterAll(async () => {
    await fleet.close();
    await toHub.close();
    await toApiServer.close();
    await cluster.stop();
  });

  test(
    `[N-1][N-42][N-24] ${podCount} Pods come and go while links are cut and agent and hub are killed; then the rows are the list, field by field`,
    async () => {
      const over = new AbortController();
      onTestFinished(() => over.abort());
      const churn = new Churn(admin, over.signal);
      const whole = churn.run();
      const faults = async (): Promise<void> => {
        await churn.untilPart(0.1);
        toApiServer.set("silent");
        await fleet.hub.untilState("busy", "disconnected");
        toApiServer.set("open");
        await churn.untilPart(0.3);
        await agent.end("SIGKILL");
        agent = start();
        await churn.untilPart(0.5);
        toHub.set("silent");
        await fleet.hub.untilState("busy", "disconnected");
        toHub.set("open");
        await churn.untilPart(0.7);
        await fleet.hubProgram.end("SIGKILL");
        await fleet.startHub();
        await churn.untilPart(0.85);
        toApiServer.set("reset");
        toHub.set("reset");
        toApiServer.set("open");
        toHub.set("open");
      };
      await Promise.all([whole, faults()]);
      await eventually(
        async () => expect(phasesIn(await listDirectly(admin, [podKind]))).toEqual(played),
        churnLimitMs,
      );
      expect(phasesIn(await fleet.hub.untilEqual("busy", admin))).toEqual(played);
    },
    churnLimitMs,
  );
});
