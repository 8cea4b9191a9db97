// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../../json/json.ts";
import { eventStrategy } from "./event.ts";

test.for<[string, JsonObject, readonly string[]]>([
  ["of its namespace", { involvedObject: { namespace: "ns" } }, []],
  ["of another namespace", { involvedObject: { namespace: "x" } }, ["involvedObject.namespace"]],
  [
    "of the new form with nothing in it",
    { involvedObject: { namespace: "ns" }, eventTime: "2026-01-02T03:04:05.000006Z" },
    ["reportingComponent", "reportingComponent", "reportingComponent", "reportingInstance", "action", "reason"],
  ],
])("an event %s", ([, event, fields]) => {
  const errors = eventStrategy.validate?.({ metadata: { namespace: "ns" }, ...event }) ?? [];
  expect(errors.map(({ field }) => field)).toEqual(fields);
});

test("events are selected by their involved object and their source", () => {
  const fields = eventStrategy.selectableFields?.({
    involvedObject: { kind: "Pod", name: "p" },
    reportingComponent: "kubelet",
    type: "Warning",
  });
  expect(fields).toMatchObject({
    "involvedObject.kind": "Pod",
    "involvedObject.name": "p",
    "involvedObject.uid": "",
    source: "kubelet",
    type: "Warning",
  });
});
