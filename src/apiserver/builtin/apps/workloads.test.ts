// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import { copyJson, type DraftObject, type JsonObject } from "../../json/json.ts";
import { objectAt } from "../../json/json-fields.ts";
import type { Strategy, WriteContext } from "../../resources/strategy.ts";
import { toSentence } from "../../status/field-error.ts";
import { daemonSetStrategy } from "./daemon-set.ts";
import { deploymentStrategy } from "./deployment.ts";
import { statefulSetStrategy } from "./stateful-set.ts";

const context: WriteContext = {
  nowMs: 0,
  random: createSeededRandom(1),
  userName: "u",
  objects: { get: () => undefined, list: () => [] },
};

function workload(spec: JsonObject = {}, metadata: JsonObject = {}): DraftObject {
  return copyJson({
    metadata: { name: "web", ...metadata },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      ...spec,
    },
  });
}

function create(strategy: Strategy, object: DraftObject): DraftObject {
  strategy.setDefaults?.(object);
  strategy.prepareForCreate?.(object, context);
  return object;
}

function update(strategy: Strategy, old: DraftObject, change: (object: DraftObject) => void): DraftObject {
  const object = copyJson(old);
  change(object);
  strategy.setDefaults?.(object);
  strategy.prepareForUpdate?.(object, old, context);
  return object;
}

describe("a Deployment", () => {
  test("gets the defaults of apps/v1", () => {
    expect(create(deploymentStrategy, workload())["spec"]).toMatchObject({
      replicas: 1,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      template: { spec: { restartPolicy: "Always", dnsPolicy: "ClusterFirst" } },
    });
  });

  test("is born without a status, and keeps the one it has", () => {
    const born = create(deploymentStrategy, { ...workload(), status: { replicas: 7 } });
    expect(born["status"]).toEqual({});
    const old = { ...born, status: { replicas: 3 } };
    expect(update(deploymentStrategy, old, (object) => delete object["status"])["status"]).toEqual({ replicas: 3 });
  });

  test("counts a changed annotation as a new generation", () => {
    const old = create(deploymentStrategy, workload({}, { generation: 4 }));
    const annotated = update(deploymentStrategy, old, (object) => {
      Object.assign(objectAt(object, "metadata") ?? {}, { annotations: { a: "b" } });
    });
    expect(annotated["metadata"]).toMatchObject({ generation: 5 });
    expect(update(deploymentStrategy, old, () => {})["metadata"]).toMatchObject({ generation: 4 });
  });

  test.each([
    ["a.b", undefined, 1],
    ["web", undefined, 0],
    ["a.b", {}, 0],
  ])("warns of the name %s of a new one only", (name, old, count) => {
    expect(deploymentStrategy.warnings?.(create(deploymentStrategy, workload({}, { name })), old)).toHaveLength(count);
  });
});

describe("a StatefulSet", () => {
  test.each<[JsonObject, JsonObject]>([
    [{}, { type: "RollingUpdate", rollingUpdate: { partition: 0 } }],
    [{ type: "RollingUpdate" }, { type: "RollingUpdate" }],
    [{ type: "OnDelete" }, { type: "OnDelete" }],
    [{ rollingUpdate: { maxUnavailable: 2 } }, { type: "RollingUpdate", rollingUpdate: { partition: 0 } }],
  ])("with the update strategy %j has %j", (updateStrategy, expected) => {
    const object = create(statefulSetStrategy, workload({ updateStrategy }));
    expect(objectAt(object, "spec", "updateStrategy")).toEqual(expected);
  });

  test("does not take another service", () => {
    const old = create(statefulSetStrategy, workload({ serviceName: "a" }));
    const moved = update(statefulSetStrategy, old, (object) => {
      Object.assign(objectAt(object, "spec") ?? {}, { serviceName: "b", replicas: 3 });
    });
    expect(statefulSetStrategy.validateUpdate?.(moved, old).map(toSentence)).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });

  test("warns of a history that never ends", () => {
    const object = create(statefulSetStrategy, workload({ revisionHistoryLimit: -1 }));
    expect(statefulSetStrategy.warnings?.(object, undefined)).toEqual([
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
    ]);
  });
});

describe("a DaemonSet", () => {
  const generation = (object: DraftObject): unknown =>
    objectAt(object, "metadata", "annotations")?.["deprecated.daemonset.template.generation"];

  test.each<[JsonObject, string]>([
    [{}, "1"],
    [{ annotations: { "deprecated.daemonset.template.generation": "5" } }, "5"],
    [{ annotations: { "deprecated.daemonset.template.generation": "x" } }, "1"],
  ])("made with %j begins with template %s", (metadata, expected) => {
    expect(generation(create(daemonSetStrategy, workload({}, metadata)))).toBe(expected);
  });

  test("counts changes of its template, and of nothing else", () => {
    const old = create(daemonSetStrategy, workload());
    const scaled = update(daemonSetStrategy, old, (object) => {
      Object.assign(objectAt(object, "spec") ?? {}, { minReadySeconds: 3 });
    });
    expect(generation(scaled)).toBe("1");
    const changed = update(daemonSetStrategy, old, (object) => {
      Object.assign(objectAt(object, "spec", "template", "spec") ?? {}, { hostNetwork: true });
    });
    expect(generation(changed)).toBe("2");
  });
});
