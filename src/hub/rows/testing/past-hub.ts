// SPDX-License-Identifier: Apache-2.0
// The part of a hub that answers queries: fleet log, index and reader, with every state that the rows ever had.
import type { LogUnderTest } from "../../../../test/support/store-fleet-log.ts";
import { assert } from "../../../base/assert.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { silentMetrics } from "../../../base/testing/silent-metrics.ts";
import { resourceOf, rowOfObject } from "../../../index/access/testing/rbac-sample-rows.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { parseResourceId } from "../../../model/gvr.ts";
import { encodeRowBatch } from "../../../model/row-batch/encode.ts";
import type { ColumnSpec, Row, RowContent } from "../../../model/rows/row.ts";
import { RowSealer } from "../../../model/rows/row-sealer.ts";
import type { Subject } from "../../../model/subject.ts";
import type { RbacObject } from "../../../rbac/rbac-types.ts";
import type { FleetLog } from "../../../store/fleet-log/fleet-log.ts";
import { createFleetCounters } from "../../fleet/fleet-counters.ts";
import { hasher, plainCodec } from "../../fleet/testing/test-fleet.ts";
import type { IndexPort } from "../../index/index-port.ts";
import { createInThreadIndex } from "../../index/testing/in-thread-index.ts";
import { contentOf } from "../../index/testing/live-rig.ts";
import { writeCheckpoint } from "../../ingest/checkpoints.ts";
import { Restore } from "../../ingest/fleet-restore.ts";
import { LogSizes } from "../../ingest/log-sizes.ts";
import { ChangeFeed } from "../change-feed.ts";
import type { FleetQueries } from "../fleet-queries.ts";
import { FleetRows } from "../fleet-rows.ts";
import { IndexFleetReader } from "../index-fleet-reader.ts";

const rbacColumns: readonly ColumnSpec[] = [
  { name: "rules", type: "stringList" },
  { name: "subjects", type: "stringList" },
  { name: "roleGroup", type: "string" },
  { name: "roleKind", type: "string" },
  { name: "roleName", type: "string" },
];

const never = new AbortController().signal;

/** Rows by cluster, resource and `namespace/name`. */
export type HubState = ReadonlyMap<string, Row>;

const keyText = (cluster: string, resource: string, { namespace, name }: Pick<Row, "namespace" | "name">): string =>
  `${cluster} ${resource} ${namespace}/${name}`;

export class PastHub {
  readonly #under: LogUnderTest;
  readonly #pastBytes: number | undefined;
  readonly #seqs = new Map<string, number>();
  readonly #states: { readonly atMs: number; readonly state: HubState }[] = [];
  #log: FleetLog;
  #index: IndexPort;
  #rows: FleetRows;
  #sizes = new LogSizes();
  reader: IndexFleetReader;

  constructor(under: LogUnderTest, pastBytes?: number) {
    this.#under = under;
    this.#pastBytes = pastBytes;
    this.#log = under.log;
    this.#index = this.#openIndex();
    this.#rows = new FleetRows(this.#index, silentLogger);
    this.reader = this.#openReader();
  }

  get nowMs(): number {
    return this.#under.clock.wall;
  }

  /** Moments and what the rows were then, RBAC objects left out. */
  get states(): readonly { readonly atMs: number; readonly state: HubState }[] {
    return this.#states;
  }

  queries(subject: Subject): FleetQueries {
    return this.reader.queries(subject);
  }

  wait(ms: number): void {
    this.#under.clock.wall += ms;
  }

  /** One flush: durable, then visible, as ingest does it. */
  async flush(
    cluster: string,
    resource: string,
    put: readonly RowContent[],
    deleted: readonly Pick<RowContent, "namespace" | "name" | "uid">[] = [],
  ): Promise<void> {
    const sealer = new RowSealer(parseClusterId(cluster), parseResourceId(resource), hasher);
    const rows = put.map((content) => sealer.seal(content));
    const columns = resource.startsWith("rbac.") ? rbacColumns : [];
    const content = { resource: parseResourceId(resource), kind: kindOf(resource), columns, rows, deletes: deleted };
    const bytes = await plainCodec.compress(encodeRowBatch(content, hasher));
    const seq = (this.#seqs.get(cluster) ?? 0) + 1;
    this.#seqs.set(cluster, seq);
    const prepared = await this.#rows.prepare(cluster, [{ resource, replacedBucket: 0, bytes }]);
    assert(prepared.kind === "prepared", "the flushes of the test are correct");
    const part = { resource, form: { kind: "delta" } as const, bytes };
    const flush = { cluster, shard: "", epoch: 1, incarnation: "inc", seq, parts: [part] };
    const outcome = await this.#log.append(flush);
    assert(outcome.kind === "appended", "the flushes of the test are in order");
    await this.#rows.commit(cluster, outcome, { incarnation: "inc", seq });
    this.#record(cluster, resource, rows, deleted);
  }

  /** Applies RBAC objects; the rows of the cluster are shown from now on. */
  async grant(cluster: string, objects: readonly RbacObject[], removed: readonly RbacObject[] = []): Promise<void> {
    for (const [each, isRemoved] of [
      ...objects.map((of) => [of, false] as const),
      ...removed.map((of) => [of, true] as const),
    ]) {
      const { namespace, name, columns } = rowOfObject(each);
      const content = contentOf(name, { namespace, columns });
      await this.flush(cluster, resourceOf(each), isRemoved ? [] : [content], isRemoved ? [content] : []);
    }
    await this.#show(cluster);
  }

  async checkpoint(cluster: string, resource: string): Promise<void> {
    const options = {
      fleetLog: this.#log,
      fleetRows: this.#rows,
      sizes: this.#sizes,
      clock: this.#under.clock,
      log: silentLogger,
    };
    await writeCheckpoint(options, { cluster, resource }, never);
  }

  async retain(beforeMs: number): Promise<void> {
    for (let more = true; more; ) ({ more } = await this.#log.retain(beforeMs));
  }

  /** Starts anew with what the log has. */
  async restart(): Promise<void> {
    this.#log = (await this.#under.reopen?.()) ?? this.#log;
    this.#index = this.#openIndex();
    this.#rows = new FleetRows(this.#index, silentLogger);
    this.#sizes = new LogSizes();
    this.reader = this.#openReader();
    const restore = new Restore({
      fleetLog: this.#log,
      fleetRows: this.#rows,
      sizes: this.#sizes,
      clock: this.#under.clock,
      random: createSeededRandom(1),
      log: silentLogger,
      counters: createFleetCounters(silentMetrics),
    });
    await restore.run(never);
    for (const cluster of this.#seqs.keys()) await this.#show(cluster);
  }

  async #show(cluster: string): Promise<void> {
    await this.#index.setFields(cluster, { cluster, region: "eu", environment: "" });
    await this.#index.setRbacComplete(cluster, true);
  }

  #record(
    cluster: string,
    resource: string,
    rows: readonly Row[],
    deleted: readonly Pick<RowContent, "namespace" | "name" | "uid">[],
  ): void {
    if (resource.startsWith("rbac.")) return;
    const state = new Map(this.#states.at(-1)?.state);
    for (const each of deleted) {
      const key = keyText(cluster, resource, each);
      if (state.get(key)?.uid === each.uid) state.delete(key);
    }
    for (const row of rows) state.set(keyText(cluster, resource, row), row);
    this.#states.push({ atMs: this.nowMs, state });
  }

  #openIndex(): IndexPort {
    const { clock } = this.#under;
    return createInThreadIndex({
      codec: plainCodec,
      hasher,
      pause: () => Promise.resolve(),
      clock: { nowMs: () => 0, wallMs: () => clock.wall, setTimer: () => () => undefined },
      ...(this.#pastBytes === undefined ? {} : { pastBytes: this.#pastBytes }),
    });
  }

  #openReader(): IndexFleetReader {
    return new IndexFleetReader({
      index: this.#index,
      fleetLog: this.#log,
      rows: this.#rows,
      feed: new ChangeFeed("feed"),
      clock: this.#under.clock,
      clusterIds: () => this.#seqs.keys(),
      authorizer: { isAllowed: () => true },
      log: silentLogger,
    });
  }
}

function kindOf(resource: string): string {
  return resource === "pods" ? "Pod" : resource === "services" ? "Service" : "Thing";
}
