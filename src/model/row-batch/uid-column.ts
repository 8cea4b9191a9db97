// SPDX-License-Identifier: Apache-2.0
import { isUuid, uuidByte, uuidBytes, uuidText } from "../rows/uuid.ts";
import type { ByteReader } from "./byte-reader.ts";
import { readIds, skipIds, writeIds } from "./ids.ts";
import { toIds, type WriteStep } from "./step.ts";
import type { StringInterner } from "./string-interner.ts";
import type { StringTable } from "./string-table.ts";

/** The uids of rows: 16 bytes each if all are UUIDs, as Kubernetes creates them, otherwise texts. */
export type UidColumn =
  | { readonly form: "uuid"; readonly bytes: Uint8Array }
  | { readonly form: "text"; readonly ids: Uint32Array };

/** The uid at a place of the column. */
export function uidAt(column: UidColumn, at: number, strings: StringTable): string {
  return column.form === "uuid" ? uuidText(column.bytes, at * uuidBytes) : strings.get(column.ids[at] ?? 0);
}

/** The step that writes the uids; "" is no uid. */
export function collectUids(uids: readonly string[], strings: StringInterner): WriteStep {
  if (uids.every(isUuid))
    return (writer) => {
      if (uids.length > 0) writer.u8(0);
      for (const uid of uids) for (let at = 0; at < uuidBytes; at += 1) writer.u8(uuidByte(uid, at));
    };
  const numbers = uids.map((uid) => strings.number(uid));
  return (writer, idOf) => {
    writer.u8(1);
    writeIds(writer, toIds(numbers, idOf));
  };
}

/** Reads `count` uids. UUID bytes are borrowed, not copied. */
export function readUids(reader: ByteReader, count: number, stringCount: number): UidColumn {
  const form = count === 0 ? 0 : reader.u8();
  if (form > 1) reader.malformed(`uids of form ${form}`);
  return form === 0
    ? { form: "uuid", bytes: reader.take(count * uuidBytes) }
    : { form: "text", ids: readIds(reader, count, stringCount) };
}

/** Skips `count` uids without a look at them. */
export function skipUids(reader: ByteReader, count: number): void {
  const form = count === 0 ? 0 : reader.u8();
  if (form > 1) reader.malformed(`uids of form ${form}`);
  if (form === 0) reader.skip(count * uuidBytes);
  else skipIds(reader, count);
}
