// SPDX-License-Identifier: Apache-2.0
// A fleet log that is written as agents and the hub write it, with every state that it ever had beside it.
import type { LogUnderTest } from "../../../../test/support/store-fleet-log.ts";
import { assert } from "../../../base/assert.ts";
import { createInThreadPort } from "../../../base/in-thread-port.ts";
import { silentLogger } from "../../../base/log.ts";
import { decodePart } from "../../../index/fold/decode-part.ts";
import { FleetTables } from "../../../index/fold/fleet-tables.ts";
import type { ClusterFields } from "../../../index/scan/row-filter.ts";
import { smallColumns } from "../../../index/scan/testing/small-rows.ts";
import { readRow } from "../../../index/table/read-row.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { parseResourceId } from "../../../model/gvr.ts";
import { encodeRowBatch } from "../../../model/row-batch/encode.ts";
import { bucketCode } from "../../../model/rows/bucket.ts";
import type { Row, RowContent, RowDelete } from "../../../model/rows/row.ts";
import { RowSealer } from "../../../model/rows/row-sealer.ts";
import { bucketOfBytes } from "../../../model/rows/testing/key-digests.ts";
import { noneVisible, type Visibility } from "../../../rbac/visibility.ts";
import type { FlushPart, LoadRequest } from "../../../store/fleet-log/fleet-log.ts";
import { hasher, plainCodec } from "../../fleet/testing/test-fleet.ts";
import type { PastFleet } from "../past-fleet.ts";
import type { PastNeed } from "../past-read.ts";
import { type PastIndexEngine, PastReader, type PastReadOptions } from "../past-reader.ts";
import { PastTables, type PastTablesOptions } from "../past-tables.ts";

export const rigClusters = ["east", "west"];
export const rigResources = ["apps/deployments", "pods"];

/** One kind's part of a flush. `replaced`: the rows that are put replace one of two buckets. */
export interface RigPart {
  readonly resource: string;
  readonly put: readonly RowContent[];
  /** Keys that are deleted if they exist with this uid. */
  readonly deleted: readonly RowDelete[];
  readonly replaced: boolean;
  /** Default: Thing. */
  readonly kind?: string;
}

/** Rows by `resource`, then by `namespace/name`. */
export type RigState = ReadonlyMap<string, ReadonlyMap<string, Row>>;

interface RigMoment {
  readonly atMs: number;
  readonly state: RigState;
}

export const rigKey = ({ namespace, name }: Pick<Row, "namespace" | "name">): string => `${namespace}/${name}`;

export const rigFields = (cluster: string): ClusterFields => ({ cluster, region: "eu", environment: "" });

export const allVisible = (): Visibility => ({ kind: "all" });

const encoder = new TextEncoder();

interface RigReader {
  readonly tables: PastTables;
  readonly reader: PastReader;
}

export class PastRig implements RigReader {
  readonly present = new FleetTables();
  readonly tables: PastTables;
  readonly reader: PastReader;
  /** The loads that were asked of the log. */
  readonly loads: LoadRequest[] = [];
  readonly #under: LogUnderTest;
  readonly #seqs = new Map<string, number>();
  /** By cluster, every state with the time that it began. */
  readonly #moments = new Map<string, RigMoment[]>();
  readonly #positions = new Map<string, { readonly position: number; readonly receivedAtMs: number }>();
  readonly #checkpoints = new Map<string, number[]>();
  readonly #earliest = new Map<string, number>();

  constructor(under: LogUnderTest, options: Partial<PastTablesOptions> = {}) {
    this.#under = under;
    // Times and creation times of rows are of the same order, so that ages matter.
    under.clock.wall = 500;
    const { tables, reader } = this.openReader(options);
    this.tables = tables;
    this.reader = reader;
  }

  /** Another reader of the same log and the same present rows. */
  openReader(options: Partial<PastTablesOptions>): RigReader {
    const tables = new PastTables({
      codec: plainCodec,
      hasher,
      takeTurn: async () => undefined,
      present: this.present,
      fieldsOf: rigFields,
      ...options,
    });
    const engine: PastIndexEngine = {
      placePast: async (...args) => tables.place(...args),
      wantPast: async (...args) => tables.want(...args),
      loadPast: (...args) => tables.load(...args),
      completePast: (...args) => tables.complete(...args),
      closePast: async (id) => tables.close(id),
    };
    const { log } = this.#under;
    const fleetLog = {
      places: log.places,
      load: (request: LoadRequest) => {
        this.loads.push(request);
        return log.load(request);
      },
    };
    return { tables, reader: new PastReader({ fleetLog, index: createInThreadPort(engine), log: silentLogger }) };
  }

  get nowMs(): number {
    return this.#under.clock.wall;
  }

  /** Moves the clock, also back. */
  wait(ms: number): void {
    this.#under.clock.wall += ms;
  }

  /** Appends a flush and, unless the index is behind, folds it into the present rows. */
  async flush(cluster: string, parts: readonly RigPart[], isFolded = true): Promise<void> {
    const before = this.stateAt(cluster, Number.POSITIVE_INFINITY);
    const seq = (this.#seqs.get(cluster) ?? 0) + 1;
    this.#seqs.set(cluster, seq);
    const encoded = parts.map((part) => encodePart(cluster, part));
    const sent: FlushPart[] = [];
    for (const { resource, form, bytes } of encoded)
      sent.push({ resource, form, bytes: await plainCodec.compress(bytes) });
    const flush = { cluster, shard: "", epoch: 1, incarnation: "i1", seq, parts: sent };
    const outcome = await this.#under.log.append(flush);
    assert(outcome.kind === "appended", "the rig's flushes are in order");
    const { position, receivedAtMs } = outcome;
    for (const { resource, form, bytes } of encoded) {
      this.#positions.set(`${cluster} ${resource}`, { position, receivedAtMs });
      const replacedBucket = form.kind === "replace" ? form.bucket : 0;
      if (isFolded) this.present.load(cluster, decodePart({ resource, replacedBucket, bytes }, hasher), outcome);
    }
    if (isFolded) this.present.setRbacComplete(cluster, true);
    const moments = this.#moments.get(cluster) ?? [];
    moments.push({ atMs: receivedAtMs, state: applyParts(before, encoded) });
    this.#moments.set(cluster, moments);
  }

  /** Removes the texts of a cluster that no row uses any more, if they are many. */
  compact(cluster: string): void {
    const compaction = this.present.prepareCompaction(cluster);
    for (const _ of compaction?.steps() ?? []);
    compaction?.commit();
  }

  /** Builds the present rows of a cluster again, as a restart does: texts of earlier rows are gone. */
  rebuild(cluster: string): void {
    this.present.removeCluster(cluster);
    for (const [resource, rows] of this.stateAt(cluster, Number.POSITIVE_INFINITY)) {
      const place = this.#positions.get(`${cluster} ${resource}`);
      const bytes = encodeRows(resource, [...rows.values()], []);
      if (place !== undefined)
        this.present.load(cluster, decodePart({ resource, replacedBucket: 0, bytes }, hasher), place);
    }
    this.present.setRbacComplete(cluster, true);
  }

  /** Writes a checkpoint of the newest rows of a kind. */
  async checkpoint(cluster: string, resource: string): Promise<void> {
    const { log } = this.#under;
    const place = this.#positions.get(`${cluster} ${resource}`);
    if (place === undefined) return;
    const rows = [...(this.stateAt(cluster, Number.POSITIVE_INFINITY).get(resource)?.values() ?? [])];
    const id = await log.beginCheckpoint(cluster, resource, place.position);
    for (let from = 0; from < rows.length; from += 2) {
      const bytes = encodeRows(resource, rows.slice(from, from + 2), []);
      await log.addCheckpointPiece(id, await plainCodec.compress(bytes));
    }
    await log.completeCheckpoint(id);
    const times = this.#checkpoints.get(`${cluster} ${resource}`) ?? [];
    times.push(place.receivedAtMs);
    this.#checkpoints.set(`${cluster} ${resource}`, times);
  }

  async retain(beforeMs: number): Promise<void> {
    for (let more = true; more; ) ({ more } = await this.#under.log.retain(beforeMs));
    for (const [kind, times] of this.#checkpoints) {
      const base = times.findLast((ms) => ms <= beforeMs);
      if (base !== undefined) this.#earliest.set(kind, base);
    }
  }

  /** The earliest moment that the log can answer for these kinds. */
  earliestMs(resources: readonly string[] = rigResources): number {
    const kinds = rigClusters.flatMap((cluster) => resources.map((resource) => `${cluster} ${resource}`));
    return Math.max(0, ...kinds.map((kind) => this.#earliest.get(kind) ?? 0));
  }

  stateAt(cluster: string, atMs: number): RigState {
    return this.#moments.get(cluster)?.findLast((moment) => moment.atMs <= atMs)?.state ?? new Map();
  }

  /** The states that began in a time, after `fromMs` and up to `toMs`. */
  statesIn(cluster: string, fromMs: number, toMs: number): readonly RigMoment[] {
    return (this.#moments.get(cluster) ?? []).filter(({ atMs }) => atMs > fromMs && atMs <= toMs);
  }

  /** Opens a read, loads it, and gives the answer of `use`. */
  read<Result>(
    need: Pick<PastNeed, "purpose" | "moments"> & Partial<PastNeed>,
    use: (id: number) => Result | Promise<Result>,
    options: Partial<PastReadOptions> & { readonly resources?: readonly string[]; readonly by?: RigReader } = {},
  ): Promise<Result> {
    const { resources, by: { tables, reader } = this } = options;
    return reader.read(
      async (id) => {
        const visibilityOf = (_cluster: string, resource: string): Visibility =>
          resources?.includes(resource) === false ? noneVisible : allVisible();
        tables.open(id, { visibilityOf, withUnchanged: false, ...need });
        const { moments } = need;
        return { moments, clusters: rigClusters, resources: resources === undefined ? undefined : new Set(resources) };
      },
      async (id) => use(id),
      { signal: new AbortController().signal, ...options },
    );
  }
}

/** The rows of a cluster in a fleet. Kinds without rows are left out. */
export function stateOf(fleet: PastFleet, cluster: string): RigState {
  const state = new Map<string, ReadonlyMap<string, Row>>();
  for (const [resource, table] of fleet.get(cluster)?.tables ?? []) {
    const rows = Array.from(table.order(), (row) => readRow(table, row));
    if (rows.length > 0) state.set(resource, new Map(rows.map((row) => [rigKey(row), row])));
  }
  return state;
}

/** A state without kinds that have no rows, by key. */
export function sortedState(state: RigState): RigState {
  const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
  return new Map(
    [...state]
      .filter(([, rows]) => rows.size > 0)
      .map(([resource, rows]) => [resource, new Map([...rows].sort(byKey))] as const)
      .sort(byKey),
  );
}

interface EncodedRigPart extends FlushPart {
  readonly rows: readonly Row[];
  readonly deletes: readonly RowDelete[];
}

const bucketOf = ({ namespace, name }: Pick<Row, "namespace" | "name">): number =>
  bucketOfBytes(encoder.encode(namespace), encoder.encode(name), 2);

function encodeRows(resource: string, rows: readonly Row[], deletes: readonly RowDelete[], kind = "Thing"): Uint8Array {
  const content = { resource: parseResourceId(resource), kind, columns: smallColumns, rows, deletes };
  return encodeRowBatch(content, hasher);
}

function encodePart(cluster: string, { resource, put, deleted, replaced, kind }: RigPart): EncodedRigPart {
  const sealer = new RowSealer(parseClusterId(cluster), parseResourceId(resource), hasher);
  const all = put.map((content) => sealer.seal(content));
  const [first] = all;
  if (!replaced || first === undefined) {
    const bytes = encodeRows(resource, all, deleted, kind);
    return { resource, form: { kind: "delta" }, bytes, rows: all, deletes: deleted };
  }
  const bucket = bucketOf(first);
  const rows = all.filter((row) => bucketOf(row) === bucket);
  const form = { kind: "replace", bucket: bucketCode(2, bucket) } as const;
  return { resource, form, bytes: encodeRows(resource, rows, []), rows, deletes: [] };
}

function applyParts(before: RigState, parts: readonly EncodedRigPart[]): RigState {
  const state = new Map(before);
  for (const { resource, form, rows, deletes } of parts) {
    const next = new Map(state.get(resource));
    for (const deleted of deletes) if (next.get(rigKey(deleted))?.uid === deleted.uid) next.delete(rigKey(deleted));
    if (form.kind === "replace")
      for (const [key, row] of next) if (bucketCode(2, bucketOf(row)) === form.bucket) next.delete(key);
    for (const row of rows) next.set(rigKey(row), row);
    state.set(resource, next);
  }
  return state;
}
