// SPDX-License-Identifier: Apache-2.0
import { SimApiServer, type SimApiServerOptions } from "../../../../test/support/sim/sim-api-server.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import type { OtherKinds } from "../../../kinds/choose-kinds.ts";
import type { DerivedKind, Kind } from "../../../kinds/kind.ts";
import type { KubeSource } from "../../../kube/kube-source.ts";
import { defaultReflectorSettings, type ReflectorSettings } from "../../../kube/reflector/reflector-options.ts";
import type { NamespaceFilter } from "../../../kube/reflector/scope/namespace-filter.ts";
import { ServerRecovery } from "../../../kube/server-recovery.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { createHasher } from "../../../model/rows/hasher.ts";
import type { Row } from "../../../model/rows/row.ts";
import { RowTable } from "../../../session/agent/row-table.ts";
import { pagePacker } from "../../page-packer.ts";
import type { KindStatusReport } from "../../uplink/uplink-options.ts";
import { Collector } from "../collector.ts";

const hasher = await createHasher();

/** What a collector is tried with. */
export interface RigOptions {
  readonly kinds: readonly Kind[];
  readonly derivedKinds?: readonly DerivedKind[];
  readonly otherKinds?: OtherKinds;
  readonly filter?: NamespaceFilter;
  readonly settings?: Partial<ReflectorSettings>;
  readonly server?: Partial<SimApiServerOptions>;
  /** The server's wall clock, which it then sends with each answer. */
  readonly serverWallMs?: () => number;
}

/** A collector on a simulated API server, under a clock that stands still. */
export class CollectorRig implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly server: SimApiServer;
  readonly rows = new RowTable({ clusterId: parseClusterId("east"), hasher, packer: pagePacker });
  readonly collector: Collector;
  readonly returns = new ServerRecovery();
  doubtCount = 0;
  /** Called for each list and watch that was answered. */
  onAnswer: () => void = () => undefined;
  onDoubt: () => void = () => undefined;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: RigOptions) {
    const { clock } = this;
    this.server = new SimApiServer({ clock, random: createSeededRandom("server"), ...options.server });
    for (const { resource, versions, kind, isNamespaced } of options.kinds) {
      this.server.serve({ ...resource, version: versions[0] ?? "v1", kind, isNamespaced });
    }
    this.collector = new Collector({
      source: sourceOf(this.server, options.serverWallMs),
      rows: this.rows,
      kinds: options.kinds,
      derivedKinds: options.derivedKinds ?? [],
      otherKinds: options.otherKinds ?? { named: [], patterns: [], wants: () => false },
      filter: options.filter ?? {},
      settings: { ...defaultReflectorSettings, ...options.settings },
      discoveryIntervalMs: 60_000,
      clock,
      random: createSeededRandom("collector"),
      log: silentLogger,
      onDoubt: () => {
        this.doubtCount += 1;
        this.onDoubt();
      },
      onAnswer: () => this.onAnswer(),
      returns: this.returns,
    });
    this.#running = this.collector.run(this.#stop.signal);
    this.#running.catch(() => undefined); // awaited at the end
  }

  rowsOf(kind: { readonly resource: Kind["resource"] }): readonly Row[] {
    const rows = this.rows.getKind(textOf(kind));
    if (rows === undefined) return [];
    return Array.from(this.rows.slotsOf(rows), (slot) => this.rows.row(slot)).filter((row) => row !== undefined);
  }

  namesOf(kind: { readonly resource: Kind["resource"] }): readonly string[] {
    return this.rowsOf(kind)
      .map(({ namespace, name }) => (namespace === "" ? name : `${namespace}/${name}`))
      .sort();
  }

  reportOf(kind: { readonly resource: Kind["resource"] }): KindStatusReport | undefined {
    return this.collector.reports.get(textOf(kind));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const reason = new Error("the test is over");
    this.#stop.abort(reason);
    await this.clock.advance(0);
    await this.#running;
    if (this.clock.timerCount > 0) throw new Error(`${this.clock.timerCount} timers are left`);
  }
}

function textOf({ resource: { group, resource } }: { readonly resource: Kind["resource"] }): string {
  return group === "" ? resource : `${group}/${resource}`;
}

function sourceOf(server: KubeSource, serverWallMs: RigOptions["serverWallMs"]): KubeSource {
  if (serverWallMs === undefined) return server;
  return {
    async request(request, signal) {
      const answer = await server.request(request, signal);
      return { ...answer, headers: new Map([...answer.headers, ["date", new Date(serverWallMs()).toUTCString()]]) };
    },
  };
}
