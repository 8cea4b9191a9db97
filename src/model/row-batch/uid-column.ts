// SPDX-License-Identifier: Apache-2.0
import type { ByteWriter } from "../byte-writer.ts";
import type { ByteReader } from "./byte-reader.ts";
import { readIds, writeIds } from "./ids.ts";
import { type Step, toIds } from "./step.ts";
import type { StringInterner } from "./string-interner.ts";
import type { StringTable } from "./string-table.ts";

/** Bytes of a UUID. */
export const uuidBytes = 16;

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function nibble(unit: number): number {
  return unit < 0x3a ? unit - 0x30 : unit - 0x57;
}

function writeUuid(writer: ByteWriter, uid: string): void {
  for (let at = 0; at < uid.length; at += 2) {
    if (uid.charCodeAt(at) === 0x2d) at += 1;
    writer.u8(nibble(uid.charCodeAt(at)) * 16 + nibble(uid.charCodeAt(at + 1)));
  }
}

/** The text of the UUID whose 16 bytes begin at `from`. */
export function uuidText(bytes: Uint8Array, from: number): string {
  let text = "";
  for (let at = 0; at < uuidBytes; at += 1) {
    if (at === 4 || at === 6 || at === 8 || at === 10) text += "-";
    text += hexOfByte[bytes[from + at] ?? 0] ?? "";
  }
  return text;
}

/** Uids of rows: 16 bytes each when all are UUIDs, as Kubernetes makes them, else texts. */
export type UidColumn =
  | { readonly form: "uuid"; readonly bytes: Uint8Array }
  | { readonly form: "text"; readonly ids: Uint32Array };

/** The uid at a place of the column. */
export function uidAt(column: UidColumn, at: number, strings: StringTable): string {
  return column.form === "uuid" ? uuidText(column.bytes, at * uuidBytes) : strings.get(column.ids[at] ?? 0);
}

/** Collects uids; "" is no uid. */
export function collectUids(uids: readonly string[], strings: StringInterner): Step {
  if (uids.every((uid) => uuidForm.test(uid)))
    return (writer) => {
      if (uids.length > 0) writer.u8(0);
      for (const uid of uids) writeUuid(writer, uid);
    };
  const numbers = uids.map((uid) => strings.number(uid));
  return (writer, idOf) => {
    writer.u8(1);
    writeIds(writer, toIds(numbers, idOf));
  };
}

/** Reads `count` uids; UUID bytes are lent, not copied. */
export function readUids(reader: ByteReader, count: number, stringCount: number): UidColumn {
  const form = count === 0 ? 0 : reader.u8();
  if (form > 1) reader.malformed(`uids of form ${form}`);
  return form === 0
    ? { form: "uuid", bytes: reader.take(count * uuidBytes) }
    : { form: "text", ids: readIds(reader, count, stringCount) };
}
