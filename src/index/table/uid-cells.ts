// SPDX-License-Identifier: Apache-2.0
import type { StringTable } from "../../model/row-batch/string-table.ts";
import { type UidColumn, uidAt } from "../../model/row-batch/uid-column.ts";
import { isUuid, uuidByte, uuidBytes, uuidText } from "../../model/rows/uuid.ts";
import { RareIdColumn } from "./rare-id-column.ts";
import { TableColumn } from "./table-column.ts";
import type { TextDictionary } from "./text-dictionary.ts";
import { textUuidBytes } from "./uid-text.ts";
import type { WrittenRows } from "./written-rows.ts";

/** A uid of a batch. */
export interface UidPlace {
  readonly uids: UidColumn;
  readonly place: number;
  readonly strings: StringTable;
}

const noUuid = new Uint8Array(uuidBytes);

/** The uids of rows: 16 bytes each. Other uids, "" included, are texts in a second column. */
export class UidCells {
  readonly uuids: TableColumn<Uint8Array<ArrayBuffer>>;
  /** Text ids plus one; 0 for a UUID. */
  readonly texts: RareIdColumn;

  constructor(uuids = new TableColumn(new Uint8Array(0), uuidBytes), texts = new RareIdColumn()) {
    this.uuids = uuids;
    this.texts = texts;
  }

  share(): UidCells {
    return new UidCells(this.uuids.share(), this.texts.share());
  }

  /** "" if the object has none. */
  get(row: number, texts: TextDictionary): string {
    const text = this.texts.at(row);
    return text === 0 ? uuidText(this.uuids.values, row * uuidBytes) : texts.get(text - 1);
  }

  /** The row with this uid among the first `count`, or -1. Reads the first byte of each uid. */
  find(uid: string, count: number, texts: TextDictionary): number {
    if (!isUuid(uid)) {
      const id = this.texts.presentCount === 0 ? undefined : texts.find(uid);
      const row = id === undefined ? -1 : this.texts.values.indexOf(id + 1);
      return row < count ? row : -1;
    }
    const wanted = Uint8Array.from({ length: uuidBytes }, (_, at) => uuidByte(uid, at));
    const [first] = wanted;
    const own = this.uuids.values;
    for (let row = 0; row < count; row += 1)
      if (own[row * uuidBytes] === first && this.texts.at(row) === 0 && this.#hasBytes(row, wanted, 0)) return row;
    return -1;
  }

  /** Whether the row has the uid at a place of a batch. A row without a uid is the same as any (CO20). */
  isSame(row: number, { uids, place, strings }: UidPlace, texts: TextDictionary): boolean {
    if (uids.form === "uuid" && this.texts.at(row) === 0) return this.#hasBytes(row, uids.bytes, place * uuidBytes);
    const held = this.get(row, texts);
    const wanted = uidAt(uids, place, strings);
    return held === wanted || held === "" || wanted === "";
  }

  write(written: WrittenRows, capacity: number): void {
    const { strings, fields } = written.mapping.parts;
    const { uids } = fields;
    const { rows, places, count } = written;
    const ids = written.noIds();
    this.uuids.own();
    const own = this.uuids.values;
    for (let at = 0; at < count; at += 1) {
      const place = places[at] ?? 0;
      const to = (rows[at] ?? 0) * uuidBytes;
      if (uids.form === "uuid") {
        const from = place * uuidBytes;
        for (let byte = 0; byte < uuidBytes; byte += 1) own[to + byte] = uids.bytes[from + byte] ?? 0;
        continue;
      }
      const id = uids.ids[place] ?? 0;
      const bytes = textUuidBytes(strings, id);
      if (bytes === undefined) ids[at] = written.mapping.text(id) + 1;
      own.set(bytes ?? noUuid, to);
    }
    this.texts.writeRare(written, ids, capacity);
  }

  #hasBytes(row: number, bytes: Uint8Array, from: number): boolean {
    const own = this.uuids.values;
    for (let at = 0; at < uuidBytes; at += 1) if (own[row * uuidBytes + at] !== bytes[from + at]) return false;
    return true;
  }
}
