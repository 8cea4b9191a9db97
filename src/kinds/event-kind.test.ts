// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { eventKind } from "./event-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";

const metadata = { name: "web.17a9", namespace: "shop", creationTimestamp: "2026-01-05T09:00:00Z" };
const regarding = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web", uid: "u1" };

const expected = {
  objectGroup: "apps",
  objectKind: "Deployment",
  objectNamespace: "shop",
  objectName: "web",
  objectUid: "u1",
  type: "Warning",
  controller: "deployment-controller",
  count: 5,
  firstSeenAt: 1_767_607_200_000,
  lastSeenAt: 1_767_607_440_000,
};

describe("an Event's row", () => {
  test("[KI15] of the core group has object, reason, message, type, count, times and controller", () => {
    const row = rowOf(eventKind, {
      metadata,
      involvedObject: regarding,
      type: "Warning",
      reason: "FailedCreate",
      message: "quota exceeded",
      count: 5,
      source: { component: "deployment-controller" },
      reportingComponent: "",
      firstTimestamp: "2026-01-05T10:00:00Z",
      lastTimestamp: "2026-01-05T10:04:00Z",
      eventTime: null,
    });
    expect(Object.fromEntries(row.columns)).toEqual(expected);
    expect(row).toMatchObject({ status: "completed", reason: "FailedCreate", message: "quota exceeded" });
  });

  test("[KI15] of events.k8s.io has the same", () => {
    const row = rowOf(eventKind, {
      metadata,
      regarding,
      type: "Warning",
      reason: "FailedCreate",
      note: "quota exceeded",
      reportingController: "deployment-controller",
      eventTime: "2026-01-05T10:00:00.000000Z",
      series: { count: 5, lastObservedTime: "2026-01-05T10:04:00.000000Z" },
    });
    expect(Object.fromEntries(row.columns)).toEqual(expected);
    expect(row).toMatchObject({ status: "completed", reason: "FailedCreate", message: "quota exceeded" });
  });

  test("[KI15] of an old recorder in the new group has the same", () => {
    const row = rowOf(eventKind, {
      metadata,
      regarding,
      type: "Warning",
      deprecatedCount: 5,
      deprecatedSource: { component: "deployment-controller" },
      deprecatedFirstTimestamp: "2026-01-05T10:00:00Z",
      deprecatedLastTimestamp: "2026-01-05T10:04:00Z",
    });
    expect(Object.fromEntries(row.columns)).toEqual(expected);
  });

  test("that was seen once has one time for both", () => {
    const { columns } = rowOf(eventKind, { metadata, firstTimestamp: "2026-01-05T10:00:00Z" });
    expect([columns.get("firstSeenAt"), columns.get("lastSeenAt")]).toEqual([1_767_607_200_000, 1_767_607_200_000]);
  });

  test("[KI3] that tells nothing was seen once, when it was made", () => {
    const row = rowOf(eventKind, { metadata, count: 0 });
    const made = 1_767_603_600_000;
    expect(Object.fromEntries(row.columns)).toEqual({ count: 1, firstSeenAt: made, lastSeenAt: made });
  });

  test.each([
    ["kubelet", "FailedPostStartHook", ""],
    ["kubelet", "Failed", ""],
    ["kubelet", "BackOff", "what happened"],
    ["job-controller", "Failed", "what happened"],
  ])(
    "[KI2] of the %s about %s has the message %j, because a kubelet may quote a command",
    (component, reason, message) => {
      const row = rowOf(eventKind, { metadata, reason, message: "what happened", source: { component } });
      expect([row.reason, row.message]).toEqual([reason, message]);
    },
  );
});
