// SPDX-License-Identifier: Apache-2.0
// `node test/kubernetes/table/record-tables.ts`: makes the samples on a real kube-apiserver and writes its tables anew
// for the unit tests. Needs the kit (npm run kubernetes).

import { writeFileSync } from "node:fs";
import { type JsonObject } from "../../../src/apiserver/json/json.ts";
import { listAt, numberAt, objectAt, textAt } from "../../../src/apiserver/json/json-fields.ts";
import { customPrinter } from "../../../src/apiserver/table/custom-columns.ts";
import { printerFor } from "../../../src/apiserver/table/printers.ts";
import type { RecordedTable } from "../../../src/apiserver/table/testing/recorded-tables.ts";
import { systemClock } from "../../../src/base/time/system-clock.ts";
import { awaitObject } from "../await-ready.ts";
import { startCluster } from "../start-cluster.ts";
import { tableDifferences } from "./compare-table.ts";
import { customColumns, customDefinition, customObjects } from "./custom-sample.ts";
import { type GatheredTable, gatherTable, makeSamples } from "./gather-tables.ts";

/** Of each kind the record keeps at most this many objects: a server is born with many roles that all look alike. */
const maxRowCount = 30;

const recordFile = new URL("../../../src/apiserver/table/testing/recorded-tables.jsonl", import.meta.url);

await using cluster = await startCluster();
const client = cluster.connect();
const clock = (): number => systemClock.wallMs();
const lines: string[] = [];

for (const collection of await makeSamples(client, clock())) {
  lines.push(toLine(await gatherTable(client, collection, clock), null));
}
await client.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: customDefinition });
await awaitObject(client, "/apis/example.com/v1/widgets", systemClock);
for (const body of customObjects) await client.ask("POST", "/apis/example.com/v1/widgets", { body });
lines.push(toLine(await gatherTable(client, "/apis/example.com/v1/widgets", clock), customColumns));
lines.push(toLine(await gatherTable(client, "/apis/example.com/v2/widgets", clock), []));
writeFileSync(recordFile, lines.join(""));

function toLine(gathered: GatheredTable, custom: readonly JsonObject[] | null): string {
  const { group, version, kind, fromMs, toMs, table, objects } = gathered;
  const printer = custom === null ? printerFor(group, version, kind) : customPrinter(custom);
  // An age may have changed while the server was asked.
  const nowMs = tableDifferences(printer, gathered, [toMs]).length === 0 ? toMs : fromMs;
  const recorded: RecordedTable = {
    kubernetes: cluster.version,
    group,
    version,
    kind,
    custom,
    nowMs,
    columns: (listAt(table, "columnDefinitions") ?? []).map((column) => [
      textAt(column, "name") ?? "",
      textAt(column, "type") ?? "",
      textAt(column, "format") ?? "",
      numberAt(column, "priority") ?? 0,
    ]),
    rows: objects.slice(0, maxRowCount).map((object, index) => {
      const row = listAt(table, "rows")?.[index] ?? {};
      const conditions = listAt(row, "conditions");
      const { managedFields: _, ...metadata } = objectAt(object, "metadata") ?? {};
      return {
        object: { ...object, metadata },
        cells: listAt(row, "cells") ?? [],
        ...(conditions === undefined ? {} : { conditions }),
      };
    }),
  };
  return `${JSON.stringify(recorded)}\n`;
}
