// SPDX-License-Identifier: Apache-2.0

import { isEqualJson, isObject, type Json, type JsonObject } from "../../../src/apiserver/json/json.ts";
import { listAt, objectAt } from "../../../src/apiserver/json/json-fields.ts";
import type { Printer } from "../../../src/apiserver/resources/printer.ts";
import { toTable } from "../../../src/apiserver/table/kube-table.ts";
import type { GatheredTable } from "./gather-tables.ts";

/**
 * Annotations that stand for fields of other versions. The rows of a real server leave them out, because it makes
 * tables from its internal form; ours do not.
 */
const conversionAnnotations = /^(deprecated\.daemonset\.template\.generation|autoscaling\.alpha\.kubernetes\.io\/.*)$/;

/**
 * What is different between the table of a real server and ours, as lines of text; descriptions do not count. Ages of a
 * row are right that are so at one of the moments.
 */
export function tableDifferences(
  printer: Printer,
  gathered: GatheredTable,
  momentsMs: readonly [number, ...number[]],
): readonly string[] {
  const listMeta = gathered.table["metadata"] as JsonObject;
  const tableAt = (nowMs: number): JsonObject =>
    toTable(printer, gathered.objects, { nowMs, includeObject: "Metadata", listMeta });
  const ours = withoutDescriptions(tableAt(momentsMs[0]));
  const theirs = withoutDescriptions(gathered.table);
  const differences: string[] = [];
  const compare = (what: string, a: readonly (Json | undefined)[], b: Json | undefined): void => {
    if (!a.some((each) => isEqualJson(each, b)))
      differences.push(`${gathered.kind} ${what}: ours ${JSON.stringify(a)} theirs ${JSON.stringify(b)}`);
  };
  compare("columns", [ours["columnDefinitions"]], theirs["columnDefinitions"]);
  const rowsAt = momentsMs.map((nowMs) => (listAt(tableAt(nowMs), "rows") ?? []).map(withoutConversionAnnotations));
  const theirRows = listAt(theirs, "rows") ?? [];
  for (let at = 0; at < Math.max(gathered.objects.length, theirRows.length); at += 1) {
    compare(
      `row ${at}`,
      rowsAt.map((rows) => rows[at]),
      theirRows[at],
    );
  }
  compare("table", [{ ...ours, rows: [] }], { ...theirs, rows: [] });
  return differences;
}

/**
 * As `tableDifferences`, at any time of the asking: the server counts the ages of each row when it comes to it, and all
 * ages change with the second.
 */
export function differencesInTime(printer: Printer, gathered: GatheredTable): readonly string[] {
  const { fromMs, toMs } = gathered;
  const momentsMs: [number, ...number[]] = [fromMs];
  for (let ms = (Math.trunc(fromMs / 1000) + 1) * 1000; ms <= toMs; ms += 1000) momentsMs.push(ms);
  return tableDifferences(printer, gathered, momentsMs);
}

function withoutConversionAnnotations(row: Json): Json {
  const all = objectAt(row, "object", "metadata", "annotations");
  if (!isObject(row) || all === undefined) return row;
  const annotations = Object.fromEntries(Object.entries(all).filter(([key]) => !conversionAnnotations.test(key)));
  const { annotations: _, ...metadata } = objectAt(row, "object", "metadata") ?? {};
  const kept = Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations };
  return { ...row, object: { ...objectAt(row, "object"), metadata: kept } };
}

export function withoutDescriptions(table: JsonObject): JsonObject {
  const columns = (listAt(table, "columnDefinitions") ?? []).map((column) => ({
    ...(column as JsonObject),
    description: "",
  }));
  return { ...table, columnDefinitions: columns };
}
