// SPDX-License-Identifier: Apache-2.0
// Events of both groups. They differ only in field names.

import { type JsonObject } from "../json/json.ts";
import { numberAt, objectAt, textAt, textOf } from "../json/json-fields.ts";
import type { Printer } from "../resources/printer.ts";
import { ageOf } from "./age.ts";
import { nameOf } from "./cells.ts";
import { nameColumn, printCells, textColumn, wideColumn } from "./columns.ts";
import { trimSpace } from "./go-text.ts";

/** The field names of one group's Events. */
interface EventFields {
  readonly object: string;
  readonly message: string;
  readonly source: string;
  readonly count: string;
  readonly firstTime: string;
  readonly lastTime: string;
}

export const coreEventPrinter = eventPrinter({
  object: "involvedObject",
  message: "message",
  source: "source",
  count: "count",
  firstTime: "firstTimestamp",
  lastTime: "lastTimestamp",
});

export const eventsEventPrinter = eventPrinter({
  object: "regarding",
  message: "note",
  source: "deprecatedSource",
  count: "deprecatedCount",
  firstTime: "deprecatedFirstTimestamp",
  lastTime: "deprecatedLastTimestamp",
});

function eventPrinter(fields: EventFields): Printer {
  const columns = [
    textColumn("Last Seen"),
    textColumn("Type"),
    textColumn("Reason"),
    textColumn("Object"),
    wideColumn("Subobject"),
    wideColumn("Source"),
    textColumn("Message"),
    wideColumn("First Seen"),
    wideColumn("Count"),
    { ...nameColumn, priority: 1 },
  ];
  return printCells(columns, (event, nowMs) => {
    const firstTime = textAt(event, fields.firstTime) ?? textAt(event, "eventTime");
    const series = objectAt(event, "series");
    const lastTime =
      series === undefined ? (textAt(event, fields.lastTime) ?? firstTime) : textAt(series, "lastObservedTime");
    return [
      ageOf(lastTime, nowMs),
      textOf(event, "type"),
      textOf(event, "reason"),
      targetCell(objectAt(event, fields.object) ?? {}),
      textOf(event, fields.object, "fieldPath"),
      sourceCell(event, fields.source),
      trimSpace(textOf(event, fields.message)),
      ageOf(firstTime, nowMs),
      series === undefined ? numberAt(event, fields.count) || 1 : (numberAt(series, "count") ?? 0),
      nameOf(event),
    ];
  });
}

function targetCell(target: JsonObject): string {
  const kind = textOf(target, "kind").toLowerCase();
  const name = textOf(target, "name");
  return name === "" ? kind : `${kind}/${name}`;
}

function sourceCell(event: JsonObject, source: string): string {
  const component =
    textOf(event, source, "component") || textOf(event, "reportingComponent") || textOf(event, "reportingController");
  const instance = textOf(event, source, "host") || textOf(event, "reportingInstance");
  return instance === "" ? component : `${component}, ${instance}`;
}
