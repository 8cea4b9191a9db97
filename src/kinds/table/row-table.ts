// SPDX-License-Identifier: Apache-2.0
export { type RowTableCell, type RowTableColumn, type RowTableDefinition, tableOf } from "./table-of.ts";
