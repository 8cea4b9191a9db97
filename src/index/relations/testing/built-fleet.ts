// SPDX-License-Identifier: Apache-2.0
// Fleets of given rows, for tests of what is computed over rows.
import type { Kind } from "../../../kinds/kind.ts";
import { rowColumnsOf, rowOf } from "../../../kinds/testing/sample-rows.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { parseResourceId, resourceIdText } from "../../../model/gvr.ts";
import { decodeRowBatch } from "../../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../../model/row-batch/encode.ts";
import { createHasher } from "../../../model/rows/hasher.ts";
import type { ColumnSpec, RowContent } from "../../../model/rows/row.ts";
import { RowSealer } from "../../../model/rows/row-sealer.ts";
import type { Visibility } from "../../../rbac/visibility.ts";
import { FleetTables } from "../../fold/fleet-tables.ts";
import type { ReadableFleet } from "../visible-cluster.ts";

export const testHasher = await createHasher();

/** One row of a fleet. */
export interface BuiltRow {
  readonly cluster: string;
  readonly resource: string;
  readonly kind: string;
  readonly columns: readonly ColumnSpec[];
  readonly content: RowContent;
}

/** A fleet whose rows can still change. */
export interface BuiltFleet extends ReadableFleet {
  fold(rows: readonly BuiltRow[]): void;
  remove(row: BuiltRow): void;
}

/** The fleet of these rows, each key once. A row was received at the time of its creation. */
export function buildFleet(rows: readonly BuiltRow[]): BuiltFleet {
  const tables = new FleetTables();
  const apply = (changed: readonly BuiltRow[], areRemoved: boolean): void => {
    for (const [first, ...others] of byTable(changed)) {
      const { cluster, resource, kind, columns } = first;
      const contents = [first, ...others].map(({ content }) => content);
      const id = parseResourceId(resource);
      const sealer = new RowSealer(parseClusterId(cluster), id, testHasher);
      const sealed = areRemoved ? [] : contents.map((content) => sealer.seal(content));
      const deletes = areRemoved ? contents.map(({ namespace, name }) => ({ namespace, name, uid: "" })) : [];
      const bytes = encodeRowBatch({ resource: id, kind, columns, rows: sealed, deletes }, testHasher);
      const part = { resource, form: { kind: "delta" } as const, batch: decodeRowBatch(bytes, testHasher) };
      tables.load(cluster, part, { position: 1, receivedAtMs: first.content.createdAt });
    }
  };
  apply(rows, false);
  return {
    clusterIds: () => tables.clusterIds(),
    get: (cluster) => tables.get(cluster),
    fold: (added) => apply(added, false),
    remove: (row) => apply([row], true),
  };
}

/** Rows of one table that were received together. */
function byTable(rows: readonly BuiltRow[]): readonly (readonly [BuiltRow, ...BuiltRow[]])[] {
  const tables = new Map<string, [BuiltRow, ...BuiltRow[]]>();
  for (const row of rows) {
    const key = `${row.cluster} ${row.resource} ${row.content.createdAt}`;
    const known = tables.get(key);
    if (known === undefined) tables.set(key, [row]);
    else known.push(row);
  }
  return [...tables.values()];
}

/** The row of an object as an agent makes it. */
export function builtRow(cluster: string, kind: Kind, object: unknown): BuiltRow {
  const resource = resourceIdText(kind.resource);
  return { cluster, resource, kind: kind.kind, columns: rowColumnsOf(kind), content: rowOf(kind, object) };
}

/** Everything is visible. */
export const seesAll = (): Visibility => ({ kind: "all" });

/** Runs a generator to its end. */
export function finish<Result>(running: Generator<void, Result, undefined>): Result {
  for (;;) {
    const step = running.next();
    if (step.done === true) return step.value;
  }
}
