// SPDX-License-Identifier: Apache-2.0
// Argo CD's kinds with columns of their own, as in the definitions that it ships.
import { customText } from "./custom-text.ts";
import { createRowTable, nameColumn, textColumn } from "./printed-columns.ts";
import { listIn, textIn } from "./row-values.ts";

/**
 * Applications. They have no age. The revision of an Application with several sources is a list, which its table does
 * not show.
 */
export const applicationTable = createRowTable([
  nameColumn,
  customText("Sync Status", "sync"),
  customText("Health Status", "health"),
  {
    ...textColumn("Revision", (row) =>
      listIn(row, "revisions") === undefined && row.columns.has("revision") ? textIn(row, "revision") : null,
    ),
    priority: 10,
  },
  { ...customText("Project", "project"), priority: 10 },
]);
