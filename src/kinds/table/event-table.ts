// SPDX-License-Identifier: Apache-2.0
import type { RowContent } from "../../model/rows/row.ts";
import { humanAge } from "./human-duration.ts";
import { createRowTable, nameColumn, textColumn, wideColumn } from "./printed-columns.ts";
import { countIn, textIn } from "./row-values.ts";

/** Events. Subobject and the instance of the source are empty: rows do not hold them. */
export const eventTable = createRowTable([
  textColumn("Last Seen", (row, nowMs) => humanAge(countIn(row, "lastSeenAt"), nowMs)),
  textColumn("Type", (row) => textIn(row, "type")),
  textColumn("Reason", ({ reason }) => reason),
  textColumn("Object", objectCell),
  wideColumn("Subobject", () => ""),
  wideColumn("Source", (row) => textIn(row, "controller")),
  textColumn("Message", ({ message }) => message.trim()),
  wideColumn("First Seen", (row, nowMs) => humanAge(countIn(row, "firstSeenAt"), nowMs)),
  wideColumn("Count", (row) => countIn(row, "count")),
  { ...nameColumn, priority: 1 },
]);

function objectCell(row: RowContent): string {
  const kind = textIn(row, "objectKind").toLowerCase();
  const name = textIn(row, "objectName");
  return name === "" ? kind : `${kind}/${name}`;
}
