// SPDX-License-Identifier: Apache-2.0
// Flux's kinds. Columns and their order are those of the definitions that Flux ships.
import type { RowContent } from "../../model/rows/row.ts";
import { customText } from "./custom-text.ts";
import { createRowTable, customAgeColumn, nameColumn, type PrintedColumn, textColumn } from "./printed-columns.ts";
import { textIn } from "./row-values.ts";

const readyColumns: readonly PrintedColumn[] = [customText("Ready", "ready"), customText("Status", "readyMessage")];

/** Kustomizations and HelmReleases. */
export const fluxApplyTable = createRowTable([nameColumn, customAgeColumn, ...readyColumns]);

/** GitRepositories and HelmRepositories. */
export const fluxUrlTable = createRowTable([nameColumn, customText("URL", "url"), customAgeColumn, ...readyColumns]);

/** OCIRepositories. */
export const ociRepositoryTable = createRowTable([
  nameColumn,
  customText("URL", "url"),
  ...readyColumns,
  customAgeColumn,
]);

/** Buckets. */
export const bucketTable = createRowTable([
  nameColumn,
  customText("Endpoint", "endpoint"),
  customAgeColumn,
  ...readyColumns,
]);

/** HelmCharts. */
export const helmChartTable = createRowTable([
  nameColumn,
  customText("Chart", "chart"),
  customText("Version", "chartVersion"),
  textColumn("Source Kind", (row) => sourceOf(row)?.kind ?? null),
  textColumn("Source Name", (row) => sourceOf(row)?.name ?? null),
  customAgeColumn,
  ...readyColumns,
]);

/** The column `source` is `HelmRepository/flux-system/charts`; names contain no "/". */
function sourceOf(row: RowContent): { readonly kind: string; readonly name: string } | undefined {
  const [kind, , name] = textIn(row, "source").split("/");
  return kind === undefined || name === undefined ? undefined : { kind, name };
}
