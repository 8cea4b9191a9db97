// SPDX-License-Identifier: Apache-2.0
// A monitor on a manual clock, with agents that behave as they are told.

import type { Metrics } from "../../../base/metrics.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import { silentMetrics } from "../../../base/testing/silent-metrics.ts";
import type { HealthInput } from "../../../health/health-input.ts";
import { arrival, beat } from "../../../health/testing/health-kit.ts";
import { createThresholds } from "../../../health/thresholds.ts";
import type { Transition } from "../../../health/transition.ts";
import { type ClusterId, parseClusterId } from "../../../model/cluster-id.ts";
import { ClusterHealth, type HealthSink } from "../cluster-health.ts";

export class HealthRig {
  readonly clock = new ManualClock();
  readonly health: ClusterHealth;
  readonly transitions: Transition[] = [];
  readonly proofsWanted: string[] = [];
  readonly #epochs = new Map<ClusterId, number>();

  constructor(
    options: { readonly metrics?: Metrics; readonly sinks?: readonly HealthSink[]; readonly recentCount?: number } = {},
  ) {
    const own: HealthSink = {
      transition: (transition) => void this.transitions.push(transition),
      proofWanted: (cluster, epoch) => void this.proofsWanted.push(`${cluster} ${epoch}`),
    };
    this.health = new ClusterHealth({
      clock: this.clock,
      metrics: options.metrics ?? silentMetrics,
      thresholds: createThresholds(),
      runId: "run_test",
      ...(options.recentCount === undefined ? {} : { recentCount: options.recentCount }),
    });
    for (const sink of [own, ...(options.sinks ?? [])]) this.health.addSink(sink);
    this.health.start();
  }

  feed(name: string, ...inputs: readonly HealthInput[]): void {
    for (const input of inputs) this.health.feed(parseClusterId(name), input);
  }

  /** Adds the cluster where it is not known, and lets its agent arrive with the next epoch. */
  arrive(name: string, region = ""): number {
    const cluster = parseClusterId(name);
    this.health.add(cluster, { region });
    const epoch = (this.#epochs.get(cluster) ?? 0) + 1;
    this.#epochs.set(cluster, epoch);
    this.feed(name, ...arrival(epoch));
    return epoch;
  }

  lose(name: string, ending: "left" | "lost" = "lost"): void {
    this.feed(name, { kind: "sessionEnded", epoch: this.#epochs.get(parseClusterId(name)) ?? 0, ending, detail: "" });
  }

  /** Lets time pass while these agents beat. */
  async beatFor(durationMs: number, names: readonly string[]): Promise<void> {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= 5_000) {
      await this.clock.advance(Math.min(5_000, leftMs));
      for (const name of names) this.feed(name, beat(this.#epochs.get(parseClusterId(name)) ?? 0));
    }
  }

  stateOf(name: string): string | undefined {
    return this.health.get(parseClusterId(name))?.connection.state;
  }

  /** The states that a cluster went through, in order. */
  pathOf(name: string): readonly string[] {
    return this.transitions.filter(({ cluster }) => cluster === parseClusterId(name)).map(({ to }) => to);
  }
}
