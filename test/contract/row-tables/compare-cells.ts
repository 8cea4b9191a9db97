// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import type { Printer } from "../../../src/apiserver/resources/printer.ts";
import { customPrinter } from "../../../src/apiserver/table/custom-columns.ts";
import { printerFor } from "../../../src/apiserver/table/printers.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import type { RowTableCell } from "../../../src/kinds/table/row-table-definition.ts";
import { tableOf } from "../../../src/kinds/table/table-of.ts";
import { rowOf } from "../../../src/kinds/testing/sample-rows.ts";
import { resourceIdText } from "../../../src/model/gvr.ts";
import { customColumnsOf } from "./custom-printer-columns.ts";
import { type KnownDifference, knownDifferences } from "./known-cell-differences.ts";

/** A cell that is not kubectl's. */
export interface CellDifference {
  readonly object: string;
  readonly column: string;
  readonly ours: RowTableCell;
  readonly kubectls: RowTableCell;
  /** Undefined if no known difference explains it. */
  readonly known: KnownDifference | undefined;
}

/** The groups of custom resources among our kinds. */
const customGroups = /(?:\.fluxcd|\.istio)\.io$|^gateway\.networking\.k8s\.io$|^argoproj\.io$/;

/** The API server's printer for objects of a kind, in the first version that the kind reads. */
export function printerOf({ resource, kind, versions }: Kind): Printer {
  return customGroups.test(resource.group)
    ? customPrinter(customColumnsOf(resourceIdText(resource)))
    : printerFor(resource.group, versions[0] ?? "", kind);
}

/** The cells of an object's row that are not those of `kubectls`, which were printed of the object itself. */
export function differingCells(
  kind: Kind,
  object: JsonObject,
  { nowMs, kubectls }: { readonly nowMs: number; readonly kubectls: readonly unknown[] },
): readonly CellDifference[] {
  const resource = resourceIdText(kind.resource);
  const { columns, cells } = tableOf(resource);
  const row = rowOf(kind, object);
  return cells(row, nowMs).flatMap((ours, at) => {
    const theirs = kubectls[at] as RowTableCell;
    if (ours === theirs) return [];
    const column = columns[at]?.name ?? "";
    const known = knownDifferences.find(
      (each) => each.resource === resource && each.column === column && each.explains(ours, theirs),
    );
    return [{ object: `${kind.kind} ${row.name}`, column, ours, kubectls: theirs, known }];
  });
}

/** As `differingCells`, against the API server's printer, without those that are known. */
export function unexplainedCells(kind: Kind, object: JsonObject, nowMs: number): readonly CellDifference[] {
  const kubectls = printerOf(kind).row(object, nowMs).cells;
  return differingCells(kind, object, { nowMs, kubectls }).filter(({ known }) => known === undefined);
}
