// SPDX-License-Identifier: Apache-2.0
// That the tables are kubectl's is proved in test/contract/row-tables.
import { expect, test } from "vitest";
import { resourceIdText } from "../../model/gvr.ts";
import { derivedKinds } from "../all-kinds.ts";
import { endpointSliceKind } from "../endpoint-slice-kind.ts";
import { podKind } from "../pod-kind.ts";
import { rowOf } from "../testing/sample-rows.ts";
import { samplePod } from "../testing/sample-workloads.ts";
import { tableOf } from "./table-of.ts";

const nowMs = Date.parse("2026-01-05T11:00:00Z");

test("[KI30] a Pod is printed as kubectl get pods -o wide prints it", () => {
  const { columns, cells } = tableOf("pods");
  const row = rowOf(podKind, samplePod("x"));
  expect(Object.fromEntries(columns.map(({ name }, at) => [name, cells(row, nowMs)[at]]))).toEqual({
    Name: "web-7c9d-x2x4z",
    Ready: "2/3",
    Status: "CrashLoopBackOff",
    Restarts: "7 (30m ago)",
    Age: "60m",
    IP: "10.1.0.7",
    Node: "node-a",
    "Nominated Node": "<none>",
    "Readiness Gates": "<none>",
  });
  expect(columns.map(({ priority }) => priority)).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1]);
});

test("[KI30] a resource without a table of its own has name and age", () => {
  for (const resource of ["cert-manager.io/certificates", "limitranges", "apps/controllerrevisions", ""])
    expect(tableOf(resource).columns.map(({ name }) => name)).toEqual(["Name", "Age"]);
});

test("[KI16] a derived kind has columns of our own", () => {
  for (const { resource } of derivedKinds)
    expect(tableOf(resourceIdText(resource)).columns.map(({ name }) => name)).toEqual([
      "Name",
      "Revision",
      "Version",
      "Age",
      "Root Namespace",
      "Cluster Id",
    ]);
});

test("[KI6] [KI32] endpoints that a row had no room for are counted", () => {
  const endpoints = Array.from({ length: 1_000 }, (_, at) => ({ addresses: [`10.0.${at >> 8}.${at & 255}`] }));
  const row = rowOf(endpointSliceKind, { metadata: { name: "web-abc" }, addressType: "IPv4", endpoints });
  expect(row.columns.get("cut")).toEqual(["endpoints"]);
  expect(tableOf("discovery.k8s.io/endpointslices").cells(row, nowMs)[3]).toBe(
    "10.0.0.0,10.0.0.1,10.0.0.2 + 997 more...",
  );
});
