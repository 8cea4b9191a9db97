// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../base/error.ts";
import { stuckTerminatingAfterMs } from "../model/status-rules.ts";
import { configMapKind } from "./config-map-kind.ts";
import { deploymentKind } from "./deployment-kind.ts";
import { createGenericKind } from "./generic-kind.ts";
import { jobKind } from "./job-kind.ts";
import { projectRow } from "./project-row.ts";
import { noFacts, rowOf } from "./testing/sample-rows.ts";

const widgets = createGenericKind(
  { group: "example.com", resource: "widgets" },
  { kind: "Widget", versions: ["v1"], isNamespaced: true },
);

function widget(metadata: object, status: unknown = {}): object {
  return { metadata: { name: "w", namespace: "shop", ...metadata }, spec: { secret: "value" }, status };
}

describe("metadata of a row", () => {
  test("[KI4] are namespace, name, uid, resourceVersion, generation, times, labels and owner", () => {
    const labels = JSON.parse('{"app":"web","__proto__":"p","constructor":"c","odd":7}') as unknown;
    const row = rowOf(
      widgets,
      widget({
        uid: "u1",
        resourceVersion: "41",
        generation: 6,
        creationTimestamp: "2026-01-05T10:00:00Z",
        deletionTimestamp: "2026-01-05T12:30:00.5+01:00",
        labels,
        ownerReferences: [
          { apiVersion: "v1", kind: "Node", name: "node-a", uid: "o1" },
          { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid: "o2", controller: true },
        ],
      }),
    );
    expect(row).toMatchObject({ namespace: "shop", name: "w", uid: "u1", resourceVersion: "41", generation: 6 });
    expect([row.createdAt, row.deletedAt]).toEqual([1_767_607_200_000, 1_767_612_600_500]);
    expect([...row.labels]).toEqual([
      ["app", "web"],
      ["__proto__", "p"],
      ["constructor", "c"],
    ]);
    expect(row.owner).toEqual({ group: "apps", kind: "ReplicaSet", name: "web-1", uid: "o2" });
  });

  test("[KI4] the owner is the first where none is marked as controller, and none without a name", () => {
    const references = [
      { apiVersion: "v1", kind: "Node", name: "node-a", uid: "o1" },
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", controller: false },
    ];
    const row = rowOf(widgets, widget({ ownerReferences: references }));
    expect(row.owner).toEqual({ group: "", kind: "Node", name: "node-a", uid: "o1" });
    expect(rowOf(widgets, widget({ ownerReferences: [{ kind: "Node" }] })).owner).toBeUndefined();
    expect(rowOf(widgets, widget({})).owner).toBeUndefined();
  });

  test.each(["yesterday", "2026-01-05", "2026-01-05 10:00:00Z", "2026-13-45T10:00:00Z", 7, null, ""])(
    "[KI4] a time written as %j was not reported",
    (time) => {
      const row = rowOf(widgets, widget({ creationTimestamp: time }));
      expect([row.createdAt, row.deletedAt]).toEqual([0, undefined]);
    },
  );

  test("[KI5] [lesson navigator-7.3.5] annotations travel only if they are on the list", () => {
    const annotations = {
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      "example.com/anything": "x",
      "kubectl.kubernetes.io/restartedAt": "2026-01-05T10:00:00Z",
    };
    const row = rowOf(widgets, widget({ annotations }));
    expect([...row.annotations]).toEqual([["kubectl.kubernetes.io/restartedAt", "2026-01-05T10:00:00Z"]]);
  });

  test.each([undefined, null, 7, {}, { metadata: [] }, { metadata: { name: 7 } }, { metadata: { name: "" } }])(
    "[KI3] %j has no name and is refused",
    (object) => {
      const refused = expect.objectContaining({ code: "INVALID_ARGUMENT" });
      expect(() => rowOf(widgets, object)).toThrow(FlotillaError);
      expect(() => rowOf(widgets, object)).toThrow(refused);
    },
  );
});

describe("the order of status rules", () => {
  const deleted = { deletionTimestamp: "2026-01-05T10:00:00Z", finalizers: ["example.com/hold"] };
  const failedJob = { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] };

  test("[KI9] deletion comes before everything else, and is stuck after five minutes of the observer's clock", () => {
    const object = { metadata: { name: "j", namespace: "shop", ...deleted }, status: failedJob };
    const seenFor = (terminatingForMs: number): object =>
      projectRow(jobKind, object, { facts: noFacts, terminatingForMs });
    expect(seenFor(0)).toMatchObject({ status: "terminating" });
    expect(seenFor(stuckTerminatingAfterMs)).toMatchObject({
      status: "unhealthy",
      reason: "StuckTerminating",
      message: "deletion is not finished; finalizers: example.com/hold",
    });
  });

  test("[KI9] the end of a Job comes before its own rule", () => {
    const object = { metadata: { name: "j" }, spec: { suspend: true }, status: failedJob };
    expect(rowOf(jobKind, object)).toMatchObject({ status: "unhealthy", reason: "BackoffLimitExceeded" });
  });

  test("[KI9] a generation that is not observed comes before the kind's own rule", () => {
    const conditions = [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }];
    const object = { metadata: { name: "d", generation: 2 }, status: { observedGeneration: 1, conditions } };
    expect(rowOf(deploymentKind, object)).toMatchObject({ status: "progressing", reason: "GenerationBehind" });
  });

  test("[KI9] [KI11] standard conditions come before the good news that a configuration exists", () => {
    const metadata = { name: "c", namespace: "shop" };
    expect(rowOf(configMapKind, { metadata }).status).toBe("healthy");
    const stalled = { conditions: [{ type: "Stalled", status: "True" }] };
    expect(rowOf(configMapKind, { metadata, status: stalled }).status).toBe("unhealthy");
  });
});

describe("a kind that no file names", () => {
  test("[KI14] [KI1] has its metadata and conditions, and nothing else of its spec or status", () => {
    const row = rowOf(widgets, widget({ labels: { app: "web" } }, { token: "value" }));
    expect([row.labels.size, row.columns.size, row.status]).toEqual([1, 0, "unknown"]);
    expect(widgets).toMatchObject({ kind: "Widget", versions: ["v1"], isNamespaced: true });
    expect(widgets.columns.map(({ name }) => name)).toEqual(["conditions"]);
  });

  test.each([
    ["unknown", 1, {}],
    ["healthy", 1, { conditions: [{ type: "Ready", status: "True" }] }],
    ["unhealthy", 1, { conditions: [{ type: "Synced", status: "False" }] }],
    ["healthy", 2, { observedGeneration: 2, conditions: [{ type: "Ready", status: "True" }] }],
    ["progressing", 3, { observedGeneration: 2, conditions: [{ type: "Ready", status: "True" }] }],
    ["unknown", 1, { conditions: [{ type: "Odd", status: "True" }] }],
    ["unknown", 1, "broken"],
  ])("[KI14] [KI10] is %s at generation %d with status %j", (status, generation, reported) => {
    expect(rowOf(widgets, widget({ generation }, reported)).status).toBe(status);
  });
});
