// SPDX-License-Identifier: Apache-2.0
import type { KeyFields } from "../../model/row-batch/row-batch-parts.ts";
import type { KindTable } from "../table/kind-table.ts";
import { readRow } from "../table/read-row.ts";
import type { FoldPart } from "./fold-part.ts";
import { shareRow } from "./shared-row.ts";
import type { ChangedObject, ObjectState, TableDelta } from "./table-delta.ts";

/** The most rows and deletes of a flush that are recorded: about 2 ms, the longest time a reader waits. */
const maxRecordedRows = 256;

interface RecordedState extends ObjectState {
  /** An estimate of its memory. */
  readonly bytes: number;
}

interface RecordedObject {
  readonly namespace: string;
  readonly name: string;
  readonly before: RecordedState | undefined;
}

interface RecordedTable {
  readonly table: KindTable;
  readonly fromVersion: number;
  /** By key. A namespace has no NUL. */
  readonly objects: Map<string, RecordedObject>;
}

/**
 * Records what a flush changes in tables, by reading the rows that its parts name before and after. Large parts, and
 * those that replace a bucket, are not recorded, nor is any other part of the same table then.
 */
export class DeltaRecorder {
  /** By resource; undefined for those that are not recorded. */
  readonly #tables = new Map<string, RecordedTable | undefined>();
  #rowCount = 0;

  /** Called before a part is applied to the table. */
  note({ resource, form, batch }: FoldPart, table: KindTable): void {
    this.#rowCount += batch.rowCount + batch.deleteCount;
    if (form.kind === "replace" || this.#rowCount > maxRecordedRows) {
      this.#tables.set(resource, undefined);
      return;
    }
    const fresh = { table, fromVersion: table.version, objects: new Map<string, RecordedObject>() };
    const recorded = this.#tables.has(resource) ? this.#tables.get(resource) : fresh;
    this.#tables.set(resource, recorded);
    if (recorded === undefined) return;
    const { strings, fields, deletes } = batch.parts;
    const noteAll = ({ namespaceIds, nameIds }: KeyFields, count: number): void => {
      for (let place = 0; place < count; place += 1)
        noteObject(recorded, strings.get(namespaceIds[place] ?? 0), strings.get(nameIds[place] ?? 0));
    };
    noteAll(deletes, batch.deleteCount);
    noteAll(fields, batch.rowCount);
  }

  /** Called when the flush is applied and its receive time is set. */
  close(): readonly TableDelta[] {
    return [...this.#tables.values()].flatMap((recorded) => (recorded === undefined ? [] : [toDelta(recorded)]));
  }
}

function noteObject({ table, objects }: RecordedTable, namespace: string, name: string): void {
  const key = `${namespace}\0${name}`;
  if (objects.has(key)) return;
  const row = table.findRow(namespace, name);
  const before = row === -1 ? undefined : readState(table, row);
  objects.set(key, { namespace, name, before });
}

function toDelta({ table, fromVersion, objects }: RecordedTable): TableDelta {
  const changes: ChangedObject[] = [];
  let sizeBytes = 0;
  for (const { namespace, name, before } of objects.values()) {
    const row = table.findRow(namespace, name);
    const after = row === -1 ? undefined : readState(table, row, before);
    if (before === undefined && after === undefined) continue;
    // The hash covers all of the row, and the time is that of its last change.
    if (before?.row.rowHash === after?.row.rowHash && before?.troubledSinceMs === after?.troubledSinceMs) continue;
    changes.push({ before, after });
    sizeBytes += (before?.bytes ?? 0) + (after?.bytes ?? 0);
  }
  return { table, fromVersion, toVersion: table.version, changes, sizeBytes };
}

function readState(table: KindTable, row: number, earlier?: ObjectState): RecordedState {
  return { ...shareRow(readRow(table, row), earlier?.row), troubledSinceMs: table.troubledSinceMs(row) };
}
