// SPDX-License-Identifier: Apache-2.0
// The sentences are those of the real server.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { toSentence } from "../status/field-error.ts";
import { dnsSubdomainErrors } from "./name-rules.ts";
import { stripManagedFields, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

const rules = { namespaced: true, nameErrors: dnsSubdomainErrors, builtin: true };

function sentences(meta: JsonObject): readonly string[] {
  return validateObjectMeta({ name: "x", namespace: "default", ...meta }, rules).map(toSentence);
}

const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" };
const form =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe("metadata", () => {
  test("without errors has none", () => {
    const meta = {
      labels: { a: "b" },
      annotations: { "Example.com/A": "anything ü" },
      finalizers: ["a/b", "orphan"],
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, controller: false },
      ],
      generation: 3,
    };
    expect(sentences(meta)).toEqual([]);
  });

  test.each<[string, JsonObject, readonly string[]]>([
    ["no name", { name: "" }, ["metadata.name: Required value: name or generateName is required"]],
    ["no namespace", { namespace: "" }, ["metadata.namespace: Required value"]],
    [
      "a negative generation",
      { generation: -5 },
      ["metadata.generation: Invalid value: -5: must be greater than or equal to 0"],
    ],
    ["an annotation's key", { annotations: { "a b": "x" } }, [`metadata.annotations: Invalid value: "a b": ${form}`]],
    [
      "an owner without anything",
      { ownerReferences: [{}] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
    [
      "an owner of no version",
      { ownerReferences: [{ ...owner, apiVersion: "a/b/c" }] },
      ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'],
    ],
    [
      "an Event as owner",
      { ownerReferences: [{ ...owner, kind: "Event" }] },
      [
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      "two controllers",
      {
        ownerReferences: [
          { controller: true, ...owner },
          { ...owner, name: "m", controller: true },
        ],
      },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Node","name":"n","uid":"u","controller":true},{"apiVersion":"v1","kind":"Node","name":"m","uid":"u","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Node/n and Node/m',
      ],
    ],
    [
      "a finalizer that nobody knows",
      { finalizers: ["a"] },
      [
        'metadata.finalizers[0]: Invalid value: "a": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      "a finalizer of a wrong form",
      { finalizers: ["q/a b"] },
      [`metadata.finalizers: Invalid value: "q/a b": ${form}`],
    ],
    [
      "both ways of deletion",
      { finalizers: ["orphan", "foregroundDeletion"] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
  ])("%s", (_name, meta, expected) => {
    expect(sentences(meta)).toEqual(expected);
  });

  test("is checked part by part: names, labels, annotations, owners, finalizers", () => {
    const meta = { name: "A", generateName: "B", labels: { "?": "" }, annotations: { "?": "" }, finalizers: ["?/a"] };
    const fields = validateObjectMeta({ namespace: "A", ownerReferences: [{ ...owner, uid: "" }], ...meta }, rules);
    expect(fields.map(({ field }) => field)).toEqual([
      "metadata.generateName",
      "metadata.name",
      "metadata.namespace",
      "metadata.labels",
      "metadata.annotations",
      "metadata.ownerReferences.uid",
      "metadata.finalizers",
    ]);
  });

  test("takes 256 KiB of annotations, keys included, counted in bytes", () => {
    expect(sentences({ annotations: { a: "x".repeat(262_143) } })).toEqual([]);
    const tooLong = ["metadata.annotations: Too long: may not be more than 262144 bytes"];
    expect(sentences({ annotations: { a: "x".repeat(262_144) } })).toEqual(tooLong);
    expect(sentences({ annotations: { a: "é".repeat(131_072) } })).toEqual(tooLong);
  });

  test("of a cluster-wide object has no namespace", () => {
    const errors = validateObjectMeta({ name: "x", namespace: "y" }, { ...rules, namespaced: false });
    expect(errors.map(toSentence)).toEqual(["metadata.namespace: Forbidden: not allowed on this type"]);
  });

  test("of a custom resource may have a finalizer without a prefix", () => {
    const meta = { name: "x", namespace: "y", finalizers: ["a"] };
    expect(validateObjectMeta(meta, { ...rules, builtin: false })).toEqual([]);
  });
});

describe("metadata that replaces another", () => {
  const old: JsonObject = { name: "x", namespace: "y", uid: "u", resourceVersion: "1", generation: 2 };
  const changed = (meta: JsonObject, from: JsonObject = old): readonly string[] =>
    validateObjectMetaUpdate({ ...from, ...meta }, from).map(toSentence);

  test("may stay as it was", () => {
    expect(changed({ resourceVersion: "7", labels: { a: "b" } })).toEqual([]);
  });

  test.each<[JsonObject, string]>([
    [{ resourceVersion: "" }, 'metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    [{ generation: 1 }, "metadata.generation: Invalid value: 1: must not be decremented"],
    [{ name: "z" }, 'metadata.name: Invalid value: "z": field is immutable'],
    [{ namespace: "z" }, 'metadata.namespace: Invalid value: "z": field is immutable'],
    [{ uid: "other" }, 'metadata.uid: Invalid value: "other": field is immutable'],
    [
      { creationTimestamp: "2026-01-01T00:00:00Z" },
      'metadata.creationTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable',
    ],
    [{ deletionGracePeriodSeconds: 7 }, "metadata.deletionGracePeriodSeconds: Invalid value: 7: field is immutable"],
    [
      { ownerReferences: [{ ...owner, uid: "" }] },
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
  ])("%j", (meta, expected) => {
    expect(changed(meta)).toEqual([expected]);
  });

  test("of a dying object may lose finalizers but gain none", () => {
    const dying = { ...old, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["a/b", "c/d"] };
    expect(changed({ finalizers: ["c/d"] }, dying)).toEqual([]);
    expect(changed({ finalizers: ["z/z", "a/b", "e/f", "z/z"] }, dying)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"e/f", "z/z"}',
    ]);
    expect(changed({ finalizers: ["a/b", "new/one"] })).toEqual([]);
  });
});

test("managedFields are dropped, and nothing else", () => {
  const object = { metadata: { name: "x", managedFields: [{ manager: "kubectl" }] }, data: { managedFields: "kept" } };
  stripManagedFields(object);
  expect(object).toEqual({ metadata: { name: "x" }, data: { managedFields: "kept" } });
});
