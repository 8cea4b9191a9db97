// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import { copyJson, type DraftObject, type JsonObject } from "../../json/json.ts";
import type { WriteContext } from "../../resources/strategy.ts";
import { persistentVolumeClaimStrategy as strategy } from "./persistent-volume-claim.ts";

function contextWith(classes: readonly JsonObject[]): WriteContext {
  return {
    nowMs: 0,
    random: createSeededRandom(1),
    userName: "u",
    objects: {
      get: (_resource, _namespace, name) =>
        classes.find(({ metadata }) => (metadata as { name: string }).name === name),
      list: () => classes,
    },
  };
}

function storageClass(name: string, creationTimestamp: string, rest: JsonObject = {}): JsonObject {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  return { metadata: { name, creationTimestamp, annotations }, ...rest };
}

function claim(storage: string, spec: JsonObject = {}): DraftObject {
  const created: DraftObject = {
    metadata: { name: "c" },
    spec: copyJson({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...spec }),
  };
  strategy.setDefaults?.(created);
  return created;
}

test("a claim that names no class gets the newest default class, and a finalizer that protects it", () => {
  const classes = [storageClass("old", "2026-01-01T00:00:00Z"), storageClass("new", "2026-01-02T00:00:00Z")];
  const created = claim("1Gi");
  strategy.prepareForCreate?.(created, contextWith(classes));
  expect(created).toMatchObject({
    metadata: { finalizers: ["kubernetes.io/pvc-protection"] },
    spec: { storageClassName: "new", volumeMode: "Filesystem" },
    status: { phase: "Pending" },
  });
});

test("an empty class is a class: no default is put in its place", () => {
  const created = claim("1Gi", { storageClassName: "" });
  strategy.prepareForCreate?.(created, contextWith([storageClass("new", "2026-01-02T00:00:00Z")]));
  expect(created["spec"]).toMatchObject({ storageClassName: "" });
});

test.for<[string, JsonObject, boolean]>([
  ["its class allows it", { allowVolumeExpansion: true }, true],
  ["its class says nothing", {}, false],
])("a bound claim that grows where %s", ([, rest, isAllowed]) => {
  const bound = { ...claim("1Gi", { storageClassName: "c" }), status: { phase: "Bound" } };
  const grown = claim("2Gi", { storageClassName: "c" });
  const update = (): void =>
    strategy.prepareForUpdate?.(grown, bound, contextWith([storageClass("c", "2026-01-01T00:00:00Z", rest)]));
  if (!isAllowed) {
    expect(update).toThrow('persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized');
    return;
  }
  update();
  expect(strategy.validateUpdate?.(grown, bound)).toEqual([]);
});

test("a claim does not shrink below what it has", () => {
  const bound = { ...claim("2Gi"), status: { phase: "Bound", capacity: { storage: "2Gi" } } };
  const shrunk = { ...claim("1Gi"), status: { phase: "Bound" } };
  expect(strategy.validateUpdate?.(shrunk, bound).map(({ field }) => field)).toEqual([
    "spec.resources.requests.storage",
  ]);
});
