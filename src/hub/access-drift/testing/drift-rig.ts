// SPDX-License-Identifier: Apache-2.0
import { createInThreadPort } from "../../../base/in-thread-port.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { createRecordingLogger } from "../../../rpc/testing/recorder.ts";
import type {
  AccessReportFacts,
  AccessSample,
  ReviewOrder,
  SampledRequest,
} from "../../../session/access-samples/access-sample.ts";
import { createStore } from "../../../store/create-store.ts";
import { put, type Store } from "../../../store/store.ts";
import { accessDrift, clusters, rootWorkspace } from "../../../store/tables.ts";
import { MemoryEngine } from "../../../store/testing/memory-engine.ts";
import { createClusterRecord, toClusterValue } from "../../clusters/cluster-record.ts";
import { CountedMetrics } from "../../fleet/testing/counted-metrics.ts";
import { noMetadata } from "../../fleet/testing/register.ts";
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

/** The key of the stored drift of `east`, and of its registration. */
export const eastKey = [rootWorkspace, "east"];

/** Registers `east`, without an agent's key. */
export async function registerEast(store: Store): Promise<void> {
  const record = createClusterRecord({
    id: parseClusterId("east"),
    metadata: noMetadata,
    publicKey: new Uint8Array(32),
    clusterUid: "",
    isApproved: true,
    source: "agent",
    createdAtMs: 0,
  });
  await store.commit([put(clusters, eastKey, toClusterValue(record), "absent")]);
}

/** What survives a restart of the hub. */
interface DriftDisk {
  readonly clock: ManualClock;
  readonly engine: MemoryEngine;
  readonly ours: Set<string>;
  readonly theirs: Set<string>;
}

/**
 * The checks of a hub with one cluster `east`, whose users may list pods in namespaces. `ours` are the pairs `user
 * namespace` that the hub allows, `theirs` those that the cluster allows.
 */
export class DriftRig {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly metrics = new CountedMetrics();
  readonly log = createRecordingLogger();
  readonly ours: Set<string>;
  readonly theirs: Set<string>;
  /** The clusters whose drift changed, in order. */
  readonly changed: string[] = [];
  /** What `drawSamples` draws from, in turn. */
  drawn: readonly SampledRequest[] = [];
  readonly orders: { readonly atMs: number; readonly order: ReviewOrder }[] = [];
  isCurrent = true;
  /** Whether the agent answers. */
  answers = true;
  /** Called before an order is answered. */
  onOrder: () => void = () => undefined;
  readonly checks: AccessChecks;
  readonly #disk: DriftDisk;
  #epoch = 0;
  #drawnCount = 0;

  /** A rig with a new disk, on which `east` is registered. */
  static async open(samplesPerMinute?: number): Promise<DriftRig> {
    const clock = new ManualClock();
    const engine = new MemoryEngine({ clock, storeId: "st_test" });
    const disk = { clock, engine, ours: new Set<string>(), theirs: new Set<string>() };
    const rig = new DriftRig(disk, await openStore(disk), samplesPerMinute);
    await registerEast(rig.store);
    return rig;
  }

  private constructor(disk: DriftDisk, store: Store, samplesPerMinute = 4) {
    this.#disk = disk;
    this.store = store;
    ({ clock: this.clock, ours: this.ours, theirs: this.theirs } = disk);
    const { clock, metrics, log } = this;
    const allows = (pairs: ReadonlySet<string>, { user, namespace }: { user: string; namespace: string }): boolean =>
      pairs.has(`${user} ${namespace}`);
    this.checks = createAccessChecks({
      store,
      onDrift: (cluster) => void this.changed.push(cluster),
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

  /** Another run of the hub, or with `pollMs` another hub, over the same disk. It has read what is stored. */
  async another(options: { readonly samplesPerMinute?: number; readonly pollMs?: number } = {}): Promise<DriftRig> {
    const rig = new DriftRig(this.#disk, await openStore(this.#disk, options.pollMs), options.samplesPerMinute);
    rig.drawn = this.drawn;
    await rig.checks.load();
    return rig;
  }

  /** The stored drift; undefined without a row. */
  async stored() {
    return (await this.store.get(accessDrift, eastKey))?.value;
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

function openStore({ clock, engine }: DriftDisk, pollMs?: number): Promise<Store> {
  const port = createInThreadPort(engine);
  return createStore(port, { clock, bookmarkMs: 365 * 86_400_000, ...(pollMs === undefined ? {} : { pollMs }) });
}
