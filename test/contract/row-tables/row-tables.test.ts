// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import type { Printer } from "../../../src/apiserver/resources/printer.ts";
import { parseRecordedTables, type RecordedTable } from "../../../src/apiserver/table/testing/recorded-tables.ts";
import { coreKinds } from "../../../src/kinds/core-kinds.ts";
import { createGenericKind } from "../../../src/kinds/generic-kind.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import { secretKind } from "../../../src/kinds/secret-kind.ts";
import { type RowTableDefinition, tableOf } from "../../../src/kinds/table/table-of.ts";
import { allSamples } from "../../../src/kinds/testing/all-samples.ts";
import { resourceIdText } from "../../../src/model/gvr.ts";
import { type CellDifference, differingCells, printerOf } from "./compare-cells.ts";
import { knownDifferences } from "./known-cell-differences.ts";
import { morePrintedObjects } from "./more-printed-objects.ts";

const recorded = parseRecordedTables(
  readFileSync(new URL("../../../src/apiserver/table/testing/recorded-tables.jsonl", import.meta.url), "utf8"),
);
const nowMs = Date.parse("2026-01-09T12:30:00Z");

/** Kinds without a file that the record has, and that kubectl prints with name and age. */
const genericKinds = [
  createGenericKind(
    { group: "", resource: "serviceaccounts" },
    { kind: "ServiceAccount", versions: ["v1"], isNamespaced: true },
  ),
  createGenericKind(
    { group: "example.com", resource: "widgets" },
    { kind: "Widget", versions: ["v2"], isNamespaced: false },
  ),
];

const ownKinds: readonly Kind[] = [...new Set(allSamples.map(({ kind }) => kind))];
const kinds = [...ownKinds, ...genericKinds];

function shapeOf({ columns }: RowTableDefinition | Printer): readonly (readonly unknown[])[] {
  return columns.map(({ name, type, format, priority }) => [name, type, format, priority]);
}

/** Events of both groups are one resource (CO5). */
function kindOf({ group, version, kind }: RecordedTable): Kind | undefined {
  const isEvent = group === "events.k8s.io" && kind === "Event";
  return kinds.find(
    (each) =>
      each.kind === kind &&
      each.resource.group === (isEvent ? "" : group) &&
      (isEvent || each.versions.includes(version)),
  );
}

const ofRealServer = recorded.flatMap((table) => {
  const kind = kindOf(table);
  return kind === undefined ? [] : [{ kind, table, title: `${table.kind} of ${table.group}/${table.version}` }];
});

function differencesOf(table: RecordedTable, kind: Kind): readonly CellDifference[] {
  return table.rows.flatMap(({ object, cells }) =>
    differingCells(kind, object, { nowMs: table.nowMs, kubectls: cells }),
  );
}

function sampleDifferences(): readonly CellDifference[] {
  const objects = [...allSamples.map(({ kind, object }) => ({ kind, object })), ...morePrintedObjects];
  return objects.flatMap(({ kind, object }) => {
    const json = object as JsonObject;
    return differingCells(kind, json, { nowMs, kubectls: printerOf(kind).row(json, nowMs).cells });
  });
}

describe("[KI30] tables that a real kube-apiserver made", () => {
  test.each(ofRealServer)("$title: columns and cells of the rows are the same", ({ kind, table }) => {
    expect(shapeOf(tableOf(resourceIdText(kind.resource)))).toEqual(table.columns);
    expect(differencesOf(table, kind).filter(({ known }) => known === undefined)).toEqual([]);
  });

  test("the record has every kind of Kubernetes itself that has a file", () => {
    const found = new Set(ofRealServer.map(({ kind }) => kind));
    expect([...coreKinds, secretKind].filter((kind) => !found.has(kind))).toEqual([]);
  });
});

describe("[KI30] full samples and objects in many states", () => {
  test.each(ownKinds.map((kind) => [kind.kind, kind] as const))("the columns of a %s are kubectl's", (_, kind) => {
    expect(shapeOf(tableOf(resourceIdText(kind.resource)))).toEqual(shapeOf(printerOf(kind)));
  });

  test("their cells are those that the API server prints of the objects", () => {
    expect(sampleDifferences().filter(({ known }) => known === undefined)).toEqual([]);
  });
});

test("[KI32] every known difference still occurs", () => {
  const found = new Set([
    ...ofRealServer.flatMap(({ kind, table }) => differencesOf(table, kind)).map(({ known }) => known),
    ...sampleDifferences().map(({ known }) => known),
  ]);
  expect(knownDifferences.filter((each) => !found.has(each))).toEqual([]);
  expect(knownDifferences.length).toBeLessThanOrEqual(18);
});
