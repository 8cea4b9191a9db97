// SPDX-License-Identifier: Apache-2.0
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import { createRecordingLogger } from "../../../rpc/testing/recorder.ts";
import type {
  AccessReportFacts,
  AccessSample,
  ReviewOrder,
  SampledRequest,
} from "../../../session/access-samples/access-sample.ts";
import { CountedMetrics } from "../../fleet/testing/counted-metrics.ts";
import type { SessionFacts } from "../../sessions/session-events.ts";
import { type AccessChecks, createAccessChecks } from "../create-access-checks.ts";

/** A request that lists pods in a namespace. */
export function listIn(user: string, namespace: string): SampledRequest {
  return { user, groups: ["system:authenticated"], verb: "list", group: "", resource: "pods", namespace, name: "" };
}

function sessionOf(cluster: string, epoch: number): SessionFacts {
  const rest = { agentId: "a", agentVersion: "1", incarnation: "i", address: "", connectedAtMs: 0, heartbeatMs: 5_000 };
  return { cluster, shard: "", epoch, ...rest };
}

/**
 * The checks of a hub with one cluster `east`, whose users may list pods in namespaces. `ours` are the pairs `user
 * namespace` that the hub allows, `theirs` those that the cluster allows.
 */
export class DriftRig {
  readonly clock = new ManualClock();
  readonly metrics = new CountedMetrics();
  readonly log = createRecordingLogger();
  readonly ours = new Set<string>();
  readonly theirs = new Set<string>();
  /** What `drawSamples` draws from, in turn. */
  drawn: readonly SampledRequest[] = [];
  readonly orders: { readonly atMs: number; readonly order: ReviewOrder }[] = [];
  isCurrent = true;
  /** Whether the agent answers. */
  answers = true;
  /** Called before an order is answered. */
  onOrder: () => void = () => undefined;
  readonly checks: AccessChecks;
  #epoch = 0;
  #drawnCount = 0;

  constructor(samplesPerMinute = 4) {
    const { clock, metrics, log } = this;
    const allows = (pairs: ReadonlySet<string>, { user, namespace }: { user: string; namespace: string }): boolean =>
      pairs.has(`${user} ${namespace}`);
    this.checks = createAccessChecks({
      clock,
      metrics,
      log,
      random: createSeededRandom("drift"),
      samplesPerMinute,
      isCurrent: () => this.isCurrent,
      sampler: {
        drawSamples: async (_cluster, count) => this.#draw(count, (request) => allows(this.ours, request)),
        answer: async (_cluster, requests) => requests.map((request) => allows(this.ours, request)),
      },
      sessions: {
        reviewAccess: (_cluster, order) => {
          this.orders.push({ atMs: clock.nowMs(), order });
          if (this.answers) void this.#answer(order, (request) => allows(this.theirs, request));
          return { kind: "asked", epoch: this.#epoch };
        },
      },
    });
  }

  /** Runs the checks during the scenario. */
  async run(scenario: () => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const running = this.checks.run(stop.signal).catch(() => undefined);
    await scenario();
    stop.abort(new Error("done"));
    await running;
  }

  /** Begins a session whose agent reports this. */
  begin(report: AccessReportFacts = { authorizers: "rbac", detail: "", reviews: "allowed" }): void {
    this.beginSilently();
    const session = sessionOf("east", this.#epoch);
    for (const { accessReported } of this.checks.handlers)
      accessReported?.({ session, report, nowMs: this.clock.nowMs() });
  }

  /** Begins a session with an older agent, which reports nothing. */
  beginSilently(): void {
    this.#epoch += 1;
    const session = sessionOf("east", this.#epoch);
    for (const { began } of this.checks.handlers) began?.({ session, nowMs: this.clock.nowMs() });
  }

  end(): void {
    const session = sessionOf("east", this.#epoch);
    for (const { ended } of this.checks.handlers)
      ended?.({ session, ending: { kind: "left", reason: "" }, nowMs: this.clock.nowMs() });
  }

  /** The sampled requests so far. */
  get asked(): readonly string[] {
    return this.orders.flatMap(({ order }) => order.requests.map(({ user, namespace }) => `${user} ${namespace}`));
  }

  /** The messages of warnings so far. */
  get warnings(): readonly string[] {
    return this.log.lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  }

  outcomes(outcome: string): number {
    return this.metrics.get("flotilla_access_samples_total", "east", outcome);
  }

  #draw(count: number, isAllowed: (request: SampledRequest) => boolean): readonly AccessSample[] {
    const drawn = Array.from({ length: Math.min(count, this.drawn.length) }, (_, at) => {
      const request = this.drawn[(this.#drawnCount + at) % this.drawn.length];
      if (request === undefined) throw new Error("there is nothing to draw");
      return { ...request, isAllowed: isAllowed(request) };
    });
    this.#drawnCount += drawn.length;
    return drawn;
  }

  async #answer(order: ReviewOrder, isAllowed: (request: ReviewOrder["requests"][number]) => boolean): Promise<void> {
    await this.clock.sleep(10);
    this.onOrder();
    const verdicts = order.requests.map((request) => (isAllowed(request) ? "allowed" : "denied"));
    const session = sessionOf("east", this.#epoch);
    const answer = { number: order.number, verdicts };
    for (const { accessReviewed } of this.checks.handlers)
      accessReviewed?.({ session, answer, nowMs: this.clock.nowMs() });
  }
}
