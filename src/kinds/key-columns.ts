// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../model/text.ts";
import { type Columns, type KindColumn, setColumn } from "./kind.ts";

/** Most keys that a list column always holds (KI6): 64 keys of 253 bytes, the longest that Kubernetes allows. */
const surelyKeptCount = 64;

/** Columns of kinds that hold values by key: the keys' names, never a value (KI2). */
export const keyColumns: readonly KindColumn[] = [
  { name: "keys", type: "stringList", isMain: true },
  { name: "keyCount", type: "integer" },
];

/** Sets `keyColumns`. `keyCount` is set only where `keys` may be cut. */
export function setKeys(columns: Columns, keys: ReadonlySet<string>): void {
  setColumn(columns, "keys", [...keys].sort(compareUtf8));
  if (keys.size > surelyKeptCount) columns.set("keyCount", keys.size);
}
