// SPDX-License-Identifier: Apache-2.0
// Rows in the tables of an index and beside them in a plain map.
import { parseClusterId } from "../../../model/cluster-id.ts";
import { parseResourceId } from "../../../model/gvr.ts";
import { decodeRowBatch } from "../../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../../model/row-batch/encode.ts";
import type { RowBatch } from "../../../model/row-batch/row-batch.ts";
import type { createHasher } from "../../../model/rows/hasher.ts";
import type { ColumnSpec, RowContent } from "../../../model/rows/row.ts";
import { RowSealer } from "../../../model/rows/row-sealer.ts";
import { FleetTables } from "../../fold/fleet-tables.ts";
import type { ClusterFields } from "../../scan/row-filter.ts";
import type { PlainRow } from "./plain-values.ts";

export type TestHasher = Awaited<ReturnType<typeof createHasher>>;

/** A resource in a cluster. */
export interface FleetPlace {
  readonly fields: ClusterFields;
  readonly resource: string;
}

export const keyOfContent = ({ namespace, name }: Pick<RowContent, "namespace" | "name">): string =>
  `${namespace}/${name}`;

/** Two clusters with two kinds each. The second cluster has no region. */
export const twoClusters: readonly FleetPlace[] = ["east", "west"].flatMap((cluster) => {
  const fields = { cluster, region: cluster === "east" ? "eu" : "", environment: "prod" };
  return ["apps/deployments", "pods"].map((resource) => ({ fields, resource }));
});

export class PlainFleet {
  readonly tables = new FleetTables();
  readonly #hasher: TestHasher;
  readonly #columnsOf: (resource: string) => readonly ColumnSpec[];
  readonly #rows = new Map<string, PlainRow>();

  /** Values of other columns than `columnsOf` lists for the resource are left out of rows. */
  constructor(hasher: TestHasher, columnsOf: (resource: string) => readonly ColumnSpec[]) {
    this.#hasher = hasher;
    this.#columnsOf = columnsOf;
  }

  rows(): readonly PlainRow[] {
    return [...this.#rows.values()];
  }

  fold(place: FleetPlace, brought: readonly RowContent[], deleted: readonly RowContent[] = []): void {
    const batch = this.#change(place, brought, deleted);
    this.tables.fold(place.fields, place.resource, batch.parts);
  }

  /** As `fold`, in the way of a flush: what it changes is reported, and it has a receive time. */
  flush(
    place: FleetPlace,
    brought: readonly RowContent[],
    deleted: readonly RowContent[] = [],
    receivedAtMs = 0,
  ): void {
    const { fields, resource } = place;
    const batch = this.#change(place, brought, deleted);
    this.tables.setFields(fields.cluster, fields);
    const fold = this.tables.prepare(fields.cluster, [{ resource, form: { kind: "delta" }, batch }]);
    for (const _ of fold.steps());
    fold.commit({ position: 0, receivedAtMs });
  }

  /** Changes the plain rows. Returns the batch that does the same. */
  #change({ fields, resource }: FleetPlace, brought: readonly RowContent[], deleted: readonly RowContent[]): RowBatch {
    const { cluster } = fields;
    const sealer = new RowSealer(parseClusterId(cluster), parseResourceId(resource), this.#hasher);
    const deletes = deleted.map(({ namespace, name }) => ({ namespace, name, uid: "" }));
    const columns = this.#columnsOf(resource);
    const rows = brought.map((each) =>
      sealer.seal({
        ...each,
        columns: new Map([...each.columns].filter(([name]) => columns.some((column) => column.name === name))),
      }),
    );
    const content = { resource: parseResourceId(resource), kind: "Thing", columns, rows, deletes };
    const batch = decodeRowBatch(encodeRowBatch(content, this.#hasher), this.#hasher);
    const idOf = (key: Pick<RowContent, "namespace" | "name">): string => `${cluster} ${resource} ${keyOfContent(key)}`;
    for (const each of deletes) this.#rows.delete(idOf(each));
    for (const row of batch.rows()) this.#rows.set(idOf(row), { cluster, resource, row, fields });
    return batch;
  }
}
