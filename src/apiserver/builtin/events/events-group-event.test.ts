// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../../json/json.ts";
import { coreFromEventV1 } from "./event-conversion.ts";
import { eventV1Strategy } from "./events-group-event.ts";

const legacy: JsonObject = {
  metadata: { name: "e", namespace: "default" },
  eventTime: null,
  type: "Normal",
  regarding: { kind: "Pod", namespace: "default", name: "p" },
  deprecatedCount: 3,
  deprecatedFirstTimestamp: "2024-01-01T00:00:00Z",
};

test("an event that the core group made may be written again as it is", () => {
  expect(eventV1Strategy.validate?.(legacy)).toEqual([]);
  expect(eventV1Strategy.validateUpdate?.(legacy, legacy)).toEqual([]);
});

test("an event can be selected by what it is about", () => {
  const stored = coreFromEventV1({ ...legacy, reportingController: "example.com/c" });
  expect(eventV1Strategy.selectableFields?.(stored)).toMatchObject({
    "regarding.kind": "Pod",
    reportingController: "example.com/c",
    type: "Normal",
    reason: "",
  });
  expect(Object.keys(eventV1Strategy.selectableFields?.(stored) ?? {}).sort()).toEqual(
    [...(eventV1Strategy.selectableFieldNames ?? [])].sort(),
  );
});
