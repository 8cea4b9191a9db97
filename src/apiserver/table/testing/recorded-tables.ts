// SPDX-License-Identifier: Apache-2.0
// Tables that a real kube-apiserver made once, with the objects that it made them from: one kind on each line of
// recorded-tables.jsonl. `node test/kubernetes/table/record-tables.ts` writes them anew; it needs the kit (npm run
// kubernetes).
import type { Json, JsonObject } from "../../json/json.ts";

/** One kind at one version. Ages were counted at `nowMs`. */
export interface RecordedTable {
  /** `v1.36.3` */
  readonly kubernetes: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The columns of a custom resource's definition; null for built-in kinds. */
  readonly custom: readonly JsonObject[] | null;
  readonly nowMs: number;
  /** Name, type, format and priority of each. */
  readonly columns: readonly (readonly [string, string, string, number])[];
  readonly rows: readonly {
    readonly object: JsonObject;
    readonly cells: readonly Json[];
    readonly conditions?: Json;
  }[];
}

export function parseRecordedTables(text: string): readonly RecordedTable[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RecordedTable);
}
