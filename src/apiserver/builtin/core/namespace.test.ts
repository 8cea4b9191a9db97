// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import type { DraftObject } from "../../json/json.ts";
import { toSentence } from "../../status/field-error.ts";
import { namespaceStrategy, protectedNamespaces, validateFinalize } from "./namespace.ts";

const context = {
  nowMs: 0,
  random: createSeededRandom(1),
  userName: "u",
  objects: { get: () => undefined, list: () => [] },
};

const stored = {
  metadata: { name: "a", labels: { "kubernetes.io/metadata.name": "a" } },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
};

test("a new namespace is active, names itself in a label and waits for its contents", () => {
  const namespace: DraftObject = { metadata: { name: "a" }, status: { phase: "Terminating" } };
  namespaceStrategy.setDefaults?.(namespace);
  namespaceStrategy.prepareForCreate?.(namespace, context);
  expect(namespace).toEqual(stored);
});

test("an update changes neither finalizers nor status", () => {
  const namespace: DraftObject = { metadata: { name: "a" }, spec: { finalizers: ["x/y"] }, status: {} };
  namespaceStrategy.setDefaults?.(namespace);
  namespaceStrategy.prepareForUpdate?.(namespace, stored, context);
  expect(namespace).toEqual(stored);
});

test("finalizers must be known or have a prefix", () => {
  const namespace: DraftObject = { metadata: { name: "a" }, spec: { finalizers: ["mine", "x/y"] }, status: {} };
  expect(validateFinalize(namespace).map(toSentence)).toEqual([
    'spec.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});

test("the phase depends only on the deletion of the namespace", () => {
  const isDeleted = { metadata: { deletionTimestamp: "2026-01-02T03:04:05Z" }, status: { phase: "Active" } };
  expect(namespaceStrategy.validateStatusUpdate?.(isDeleted, stored)).toHaveLength(1);
  expect(namespaceStrategy.validateStatusUpdate?.({ status: { phase: "Terminating" } }, stored)).toHaveLength(1);
  expect(namespaceStrategy.validateStatusUpdate?.({ status: { phase: "Active" } }, stored)).toEqual([]);
});

test("the namespaces of the system are protected", () => {
  expect([...protectedNamespaces]).toEqual(["default", "kube-system", "kube-public"]);
});
