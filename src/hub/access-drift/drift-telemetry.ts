// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { Counter, Gauge, Metrics } from "../../base/metrics.ts";
import type { GrantsDrift } from "../../index/access/judge-grants.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import type { JudgedSample } from "./drift-state.ts";
import type { DriftDirection, SampleOutcome } from "./judge-sample.ts";

const directions: readonly DriftDirection[] = ["shownButDenied", "hiddenButAllowed"];

/** Both directions are one outcome: the other metric has the direction. */
const outcomeLabels: Readonly<Record<SampleOutcome, string>> = {
  agreed: "agreed",
  shownButDenied: "differed",
  hiddenButAllowed: "differed",
  raced: "raced",
  unanswered: "unanswered",
};

/** Metrics and log lines of samples and of drift. */
export class DriftTelemetry {
  readonly #log: Logger;
  readonly #differences: Counter<"cluster" | "direction">;
  readonly #samples: Counter<"cluster" | "outcome">;
  readonly #drifted: Gauge<"drift">;

  constructor({ metrics, log }: { readonly metrics: Metrics; readonly log: Logger }) {
    this.#log = log;
    this.#differences = metrics.counter({
      name: metricNames.accessDrift,
      help: "Access decisions that differ from the cluster's own, by direction: shownButDenied or hiddenButAllowed.",
      labels: ["cluster", "direction"],
    });
    this.#samples = metrics.counter({
      name: metricNames.accessSamples,
      help: "Access decisions that were compared with the cluster's own, by outcome.",
      labels: ["cluster", "outcome"],
    });
    this.#drifted = metrics.gauge({
      name: metricNames.accessDriftedClusters,
      help: "Clusters whose own access decisions differ from the hub's, by the drift that counts.",
      labels: ["drift"],
    });
    this.showDrifts([]);
  }

  countSample(cluster: string, { request, outcome }: JudgedSample): void {
    this.#samples.add({ cluster, outcome: outcomeLabels[outcome] });
    if (outcome !== "shownButDenied" && outcome !== "hiddenButAllowed") return;
    this.#differences.add({ cluster, direction: outcome });
    const { user, verb, group, resource, namespace, name } = request;
    const fields = { cluster, direction: outcome, user, verb, apiGroup: group, resource, namespace, name };
    this.#log.warn("an access decision differs from the cluster's own", fields);
  }

  noteChange(cluster: string, drift: GrantsDrift): void {
    if (drift === "none") this.#log.info("the cluster's access decisions agree with ours again", { cluster });
    else this.#log.warn("the cluster's access decisions differ from ours", { cluster, drift });
  }

  noteUnstored(cluster: string, reason: unknown): void {
    this.#log.warn("the access drift of a cluster could not be stored", { cluster }, reason);
  }

  /** Shows the drift of all clusters. */
  showDrifts(drifts: readonly GrantsDrift[]): void {
    for (const drift of directions) this.#drifted.set({ drift }, drifts.filter((each) => each === drift).length);
  }
}
