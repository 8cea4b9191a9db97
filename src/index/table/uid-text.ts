// SPDX-License-Identifier: Apache-2.0
import type { StringTable } from "../../model/row-batch/string-table.ts";
import { isUuid, uuidByte, uuidBytes, uuidTextBytes } from "../../model/rows/uuid.ts";

/**
 * The 16 bytes of a uid that a batch holds as text; undefined if it is not a UUID. A batch with a single other uid holds
 * all of them as texts.
 */
export function textUuidBytes(strings: StringTable, id: number): Uint8Array | undefined {
  if ((strings.offsets[id + 1] ?? 0) - (strings.offsets[id] ?? 0) !== uuidTextBytes) return undefined;
  const text = strings.get(id);
  return isUuid(text) ? Uint8Array.from({ length: uuidBytes }, (_, at) => uuidByte(text, at)) : undefined;
}
