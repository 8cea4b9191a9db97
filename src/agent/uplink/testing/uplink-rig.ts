// SPDX-License-Identifier: Apache-2.0
// An uplink and a hub in a simulated world.
import { SimNetwork, type SimNetworkOptions } from "../../../../test/support/sim/network.ts";
import type { World } from "../../../../test/support/sim/world.ts";
import { type Logger, silentLogger } from "../../../base/log.ts";
import { silentMetrics } from "../../../base/testing/silent-metrics.ts";
import { KindState } from "../../../gen/flotilla/session/v1/session_pb.ts";
import type { Row } from "../../../model/rows/row.ts";
import type { KindRows } from "../../../session/agent/kind-rows.ts";
import { tableHashes } from "../../../session/agent/testing/model-rows.ts";
import { hasher, sampleKind, sampleTable } from "../../../session/agent/testing/sample-rows.ts";
import type { StreamEnd } from "../../../session/transport.ts";
import { pagePacker } from "../../page-packer.ts";
import { runUplink } from "../run-uplink.ts";
import type { KindStatusReport, UplinkOptions } from "../uplink-options.ts";
import type { UplinkStatus } from "../uplink-status.ts";
import { ModelHub } from "./model-hub.ts";
import { zstd } from "./zstd-codec.ts";

/** One line of a log. */
export interface RigLogLine {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Everything a test of the uplink looks at or turns. */
export class UplinkRig {
  readonly world: World;
  readonly network: SimNetwork;
  readonly hub: ModelHub;
  readonly table = sampleTable(pagePacker);
  readonly statuses: UplinkStatus[] = [];
  readonly lines: RigLogLine[] = [];
  /** Dials and sends that were under way together at the most; 1 when one waited for the other. */
  readonly most = { dialCount: 0, sendCount: 0 };
  /** When the hub was dialled. */
  readonly dials: number[] = [];
  readonly reports = new Map<string, KindStatusReport>();
  /** Shuts the newest door. */
  closeHub: () => void = () => undefined;
  #dialCount = 0;
  #onReport: (() => void) | undefined;

  constructor(world: World, network: SimNetworkOptions = {}) {
    this.world = world;
    this.network = new SimNetwork(world, network);
    this.hub = new ModelHub(hasher, () => world.clock.nowMs());
    this.openHub();
  }

  /** Lets the hub be dialled, until `closeHub` or the end of the world. */
  openHub(): void {
    const door = this.world.spawn("hub", async (signal) => {
      const listener = this.network.listen("hub", "session", (end) => {
        this.world.spawn(`hub session ${this.hub.sessionCount + 1}`, async (stop) => {
          stop.addEventListener("abort", () => end.close(), { once: true });
          await this.hub.serve(end);
        });
      });
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      listener.close();
    });
    this.closeHub = () => door.stop();
  }

  /** Starts an agent over the table; `name` tells two of them apart. */
  start(overrides: Partial<UplinkOptions> = {}, name = "agent"): ReturnType<World["spawn"]> {
    return this.world.spawn(name, (signal) => runUplink({ ...this.options(name), ...overrides }, signal));
  }

  /** A complete list of these rows. */
  list(resource: string, rows: readonly Row[]): KindRows {
    const kind = this.table.openKind(sampleKind(resource));
    this.report(resource, {});
    kind.beginList();
    for (const row of rows) kind.upsert(row);
    kind.endList();
    return kind;
  }

  report(resource: string, change: Partial<KindStatusReport>): void {
    this.reports.set(resource, {
      resource,
      state: KindState.WATCHING,
      version: "v1",
      sinceMs: this.world.clock.nowMs(),
      currentAtMs: undefined,
      listedAtMs: undefined,
      fault: "",
      verb: "",
      error: "",
      refusedCount: 0,
      refusedError: "",
      leftOutCount: 0,
      overrunMs: 0,
      ...this.reports.get(resource),
      ...change,
    });
    this.#onReport?.();
  }

  get status(): UplinkStatus["state"] | undefined {
    return this.statuses.at(-1)?.state;
  }

  /** Whether the hub holds exactly the table's rows. */
  get isEqual(): boolean {
    const [held, wanted] = [this.hub.rows.hashes(), tableHashes(this.table)];
    return held.size === wanted.size && [...wanted].every(([key, hash]) => held.get(key) === hash);
  }

  /** Kinds of messages up, heartbeats left out. */
  kinds(): string[] {
    return this.hub.received.map(({ kind }) => kind).filter((kind) => kind !== "heartbeat");
  }

  async #dial(name: string, signal: AbortSignal): Promise<StreamEnd> {
    this.dials.push(this.world.clock.nowMs());
    this.#dialCount += 1;
    this.most.dialCount = Math.max(this.most.dialCount, this.#dialCount);
    try {
      return this.#counted(await this.network.dial({ from: name, to: "hub", service: "session" }, signal));
    } finally {
      this.#dialCount -= 1;
    }
  }

  /** The end, with its sends counted. */
  #counted(end: StreamEnd): StreamEnd {
    let sendCount = 0;
    return {
      receive: end.receive,
      closed: end.closed,
      close: (error) => end.close(error),
      send: async (message, signal) => {
        sendCount += 1;
        this.most.sendCount = Math.max(this.most.sendCount, sendCount);
        try {
          await end.send(message, signal);
        } finally {
          sendCount -= 1;
        }
      },
    };
  }

  #logger(): Logger {
    const note = (message: string, fields: RigLogLine["fields"] = {}): void =>
      void this.lines.push({ message, fields });
    return { ...silentLogger, info: note, warn: note, error: note };
  }

  options(name: string): UplinkOptions {
    const { world } = this;
    return {
      clock: world.clock,
      random: world.random.fork(`${name} ${world.clock.nowMs()}`),
      transport: { dial: (signal) => this.#dial(name, signal) },
      codec: zstd,
      hasher,
      signer: { sign: (bytes) => Promise.resolve(bytes.slice(0, 64)) },
      log: this.#logger(),
      metrics: silentMetrics,
      identity: {
        clusterId: "c1",
        shard: "",
        clusterUid: "uid-of-c1",
        agentVersion: "1.0.0",
        metadata: { region: "", environment: "", version: "", kubernetesVersion: "", labels: {} },
        includedNamespaces: [],
        excludedNamespaces: [],
      },
      rows: this.table,
      kindReports: {
        list: () => [...this.reports.values()],
        subscribe: (onChange) => {
          this.#onReport = onChange;
          return () => (this.#onReport = undefined);
        },
      },
      apiServer: () => ({ fault: "", sinceMs: 0, error: "", attemptCount: 0, retryAtMs: undefined }),
      session: { hubName: "hub", syncIntervalMs: 30_000, minFlushIntervalMs: 100, maxFlushIntervalMs: 2_000 },
      reconnect: { firstMs: 500, factor: 2, capMs: 30_000, stableMs: 60_000 },
      dialTimeoutMs: 10_000,
      onStatus: (status) => void this.statuses.push(status),
      onConfig: () => undefined,
    };
  }
}
