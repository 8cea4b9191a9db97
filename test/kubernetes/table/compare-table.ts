// SPDX-License-Identifier: Apache-2.0
import {
  isEqualJson,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
} from "../../../src/apiserver/json/json.ts";
import type { Printer } from "../../../src/apiserver/resources/printer.ts";
import { toTable } from "../../../src/apiserver/table/table.ts";
import type { GatheredTable } from "./gather-tables.ts";

/**
 * Annotations that stand for fields of other versions. The rows of a real server leave them out, because it makes tables from its internal form; ours do not.
 */
const conversionAnnotations = /^(deprecated\.daemonset\.template\.generation|autoscaling\.alpha\.kubernetes\.io\/.*)$/;

/** What is different between the table of a real server and ours, as lines of text; descriptions do not count. */
export function tableDifferences(printer: Printer, gathered: GatheredTable, nowMs: number): readonly string[] {
  const listMeta = gathered.table["metadata"] as JsonObject;
  const ours = toTable(printer, gathered.objects, { nowMs, includeObject: "Metadata", listMeta });
  const theirs = withoutDescriptions(gathered.table);
  const differences: string[] = [];
  const compare = (what: string, a: Json | undefined, b: Json | undefined): void => {
    if (!isEqualJson(a, b))
      differences.push(`${gathered.kind} ${what}: ours ${JSON.stringify(a)} theirs ${JSON.stringify(b)}`);
  };
  compare("columns", withoutDescriptions(ours)["columnDefinitions"], theirs["columnDefinitions"]);
  const rows = (listAt(ours, "rows") ?? []).map(withoutConversionAnnotations);
  const theirRows = listAt(theirs, "rows") ?? [];
  for (let at = 0; at < Math.max(rows.length, theirRows.length); at += 1) compare(`row ${at}`, rows[at], theirRows[at]);
  compare("table", { ...withoutDescriptions(ours), rows: [] }, { ...theirs, rows: [] });
  return differences;
}

/** As `tableDifferences`, at that end of the time of asking which suits better: an age may have changed in between. */
export function differencesInTime(printer: Printer, gathered: GatheredTable): readonly string[] {
  const atEnd = tableDifferences(printer, gathered, gathered.toMs);
  const atStart = atEnd.length === 0 ? atEnd : tableDifferences(printer, gathered, gathered.fromMs);
  return atStart.length < atEnd.length ? atStart : atEnd;
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
