// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { toTable } from "./kube-table.ts";
import { toPartialMetadata, toPartialMetadataList } from "./partial-metadata.ts";
import { printerFor } from "./printers.ts";

const printer = printerFor("", "v1", "Namespace");
const nowMs = Date.parse("2026-03-01T12:00:00Z");
const metadata = { name: "default", resourceVersion: "21", creationTimestamp: "2026-03-01T11:59:00Z" };
const object = { kind: "Namespace", apiVersion: "v1", metadata, status: { phase: "Active" } };
const cells = ["default", "Active", "60s"];

test("the table of one object has its resourceVersion", () => {
  const table = toTable(printer, [object], { nowMs, includeObject: "Metadata" });
  expect(table).toMatchObject({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: "21" },
    rows: [{ cells, object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata } }],
  });
  expect(table["columnDefinitions"]).toEqual([
    { name: "Name", type: "string", format: "name", description: "", priority: 0 },
    { name: "Status", type: "string", format: "", description: "", priority: 0 },
    { name: "Age", type: "string", format: "", description: "", priority: 0 },
  ]);
});

test("the table of a list has the metadata of the list", () => {
  const listMeta = { resourceVersion: "274", continue: "abc", remainingItemCount: 3 };
  const table = toTable(printer, [], { nowMs, includeObject: "Metadata", listMeta });
  expect(table).toMatchObject({ metadata: listMeta, rows: [] });
});

test("rows carry nothing, the metadata or the whole object, in the version of the table", () => {
  const rowsOf = (includeObject: "None" | "Metadata" | "Object"): unknown =>
    toTable(printer, [object], { nowMs, includeObject, version: "v1beta1" })["rows"];
  expect(rowsOf("None")).toEqual([{ cells, object: null }]);
  expect(rowsOf("Metadata")).toEqual([{ cells, object: toPartialMetadata(object, "v1beta1") }]);
  expect(rowsOf("Object")).toEqual([{ cells, object }]);
});

test("later events of a watch leave the columns out", () => {
  const table = toTable(printer, [object], { nowMs, includeObject: "None", withColumns: false });
  expect(table["columnDefinitions"]).toBeNull();
});

test("rows of ended Pods say so", () => {
  const pod = { metadata: { name: "p" }, status: { phase: "Failed" } };
  const table = toTable(printerFor("", "v1", "Pod"), [pod], { nowMs, includeObject: "None" });
  const conditions = [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }];
  expect(table).toMatchObject({ rows: [{ conditions }] });
});

test("a list of partial objects keeps the metadata of each and of the list", () => {
  expect(toPartialMetadataList([object], { resourceVersion: "9" })).toEqual({
    kind: "PartialObjectMetadataList",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: "9" },
    items: [{ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata }],
  });
});
