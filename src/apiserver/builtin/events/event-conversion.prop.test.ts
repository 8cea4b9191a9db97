// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../json/json.ts";
import { coreFromEventV1, eventV1FromCore } from "./event-conversion.ts";

const text = fc.string({ minLength: 1, maxLength: 4 });
const reference = fc.record({ kind: text, name: text, namespace: text });

/** Events of the core group as they are stored: what Go always prints is there. */
const coreEvent = fc
  .record({
    required: fc.record({
      involvedObject: reference,
      source: fc.record({ component: text }),
      firstTimestamp: fc.constantFrom(null, "2024-01-01T00:00:00Z"),
      lastTimestamp: fc.constantFrom(null, "2024-01-01T00:00:00Z"),
      eventTime: fc.constantFrom(null, "2024-01-01T00:00:00.000000Z"),
      reportingComponent: fc.constantFrom("", "example.com/c"),
      reportingInstance: fc.constantFrom("", "c-1"),
    }),
    optional: fc.record(
      {
        reason: text,
        message: text,
        count: fc.integer({ min: 1, max: 9 }),
        type: fc.constantFrom("Normal", "Warning"),
        series: fc.constant({ count: 2, lastObservedTime: "2024-01-01T00:00:00.000000Z" }),
        action: text,
        related: reference,
      },
      { requiredKeys: [] },
    ),
  })
  .map(
    ({ required, optional }): JsonObject => ({
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: "e" },
      ...required,
      ...optional,
    }),
  );

test("an event that goes to events.k8s.io and back is the same event", () => {
  fc.assert(
    fc.property(coreEvent, (event) => {
      expect(coreFromEventV1(eventV1FromCore(event))).toEqual(event);
    }),
  );
});

test("fields go by the names of their group", () => {
  expect(
    eventV1FromCore({
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: "e" },
      involvedObject: { kind: "Pod" },
      message: "m",
      source: { component: "kubelet" },
      firstTimestamp: "2024-01-01T00:00:00Z",
      lastTimestamp: "2024-01-02T00:00:00Z",
      count: 3,
      reportingComponent: "c",
    }),
  ).toEqual({
    kind: "Event",
    apiVersion: "events.k8s.io/v1",
    metadata: { name: "e" },
    eventTime: null,
    regarding: { kind: "Pod" },
    note: "m",
    reportingController: "c",
    deprecatedSource: { component: "kubelet" },
    deprecatedFirstTimestamp: "2024-01-01T00:00:00Z",
    deprecatedLastTimestamp: "2024-01-02T00:00:00Z",
    deprecatedCount: 3,
  });
});
