// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { DraftObject, JsonObject } from "../../json/json.ts";
import { formatFieldError, type RecordedDefinition, recordedDefinitions, widgets } from "../testing/recorded.ts";
import { prepareCrdForCreate, setCrdDefaults } from "./crd-defaults.ts";
import { validateCrd, validateCrdUpdate } from "./validate-crd.ts";

function create(change?: RecordedDefinition["change"]): DraftObject {
  const crd = widgets(change);
  setCrdDefaults(crd);
  prepareCrdForCreate(crd);
  return crd;
}

function errorsOf(change: RecordedDefinition["change"]): readonly string[] {
  return validateCrd(create(change)).map(formatFieldError);
}

describe("a wrong definition is refused in the words of the real server", () => {
  test.each(recordedDefinitions)("$name", ({ change, errors }) => {
    expect(errors).not.toEqual([]);
    expect(errorsOf(change)).toEqual(errors);
  });
});

test("a plain definition is right", () => {
  expect(errorsOf({})).toEqual([]);
});

const second = { name: "v2", schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "string" } } } } };
const first = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };

describe("what is not served yet is refused with a sentence", () => {
  test.each<[string, RecordedDefinition["change"], string]>([
    [
      "several served versions",
      { spec: { versions: [first, { ...second, served: true, storage: false }] } },
      "spec.versions: Forbidden: more than one served version is not supported yet",
    ],
    [
      "a served version that is not the stored one",
      {
        spec: {
          versions: [
            { ...first, storage: false },
            { ...second, served: false, storage: true },
          ],
        },
      },
      "spec.versions: Forbidden: a served version other than the storage version is not supported yet",
    ],
    [
      "CEL rules",
      {
        version: {
          schema: {
            openAPIV3Schema: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] },
          },
        },
      },
      "spec.validation.openAPIV3Schema.x-kubernetes-validations: Forbidden: validation rules (CEL) are not supported yet",
    ],
    [
      "selectable fields",
      { version: { selectableFields: [{ jsonPath: ".spec.a" }] } },
      "spec.versions[0].selectableFields: Forbidden: selectable fields are not supported yet",
    ],
    [
      "conversion by webhook",
      { spec: { conversion: { strategy: "Webhook" } } },
      "spec.conversion.strategy: Forbidden: conversion by webhooks is not supported yet",
    ],
  ])("%s", (_, change, sentence) => {
    expect(errorsOf(change)).toEqual([`FieldValueForbidden ${sentence}`]);
  });

  test("a version that is neither served nor stored may stand beside the others", () => {
    expect(errorsOf({ spec: { versions: [first, { ...second, served: false, storage: false }] } })).toEqual([]);
  });

  test("schemas that would exhaust the stack", () => {
    let schema: JsonObject = { type: "object" };
    for (let depth = 0; depth < 1_000; depth += 1) schema = { type: "object", properties: { a: schema } };
    const found = errorsOf({ version: { schema: { openAPIV3Schema: schema } } });
    expect(found).toEqual([
      "FieldValueForbidden spec.validation.openAPIV3Schema: Forbidden: schemas that are nested deeper than 250 levels are not supported",
    ]);
  });
});

describe("an update", () => {
  const established = (crd: DraftObject): DraftObject => ({
    ...crd,
    status: { conditions: [{ type: "Established", status: "True" }], storedVersions: ["v1"] },
  });
  const renamed = { spec: { names: { plural: "gadgets", kind: "Gadget" }, scope: "Cluster", group: "other.com" } };

  test("never changes what the resource is called", () => {
    expect(validateCrdUpdate(create(renamed), create()).map(formatFieldError)).toEqual([
      'FieldValueInvalid spec.group: Invalid value: "other.com": field is immutable',
      'FieldValueInvalid spec.names.plural: Invalid value: "gadgets": field is immutable',
    ]);
  });

  test("does not repeat the error about the name of the definition", () => {
    const crd = create({ ...renamed, metadata: { resourceVersion: "1" } });
    expect(validateCrd(crd)).toEqual([]);
  });

  test("changes scope and kind only before the definition is established", () => {
    expect(validateCrdUpdate(create(renamed), established(create())).map(formatFieldError).slice(0, 2)).toEqual([
      'FieldValueInvalid spec.scope: Invalid value: "Cluster": field is immutable',
      'FieldValueInvalid spec.names.kind: Invalid value: "Gadget": field is immutable',
    ]);
  });

  test("keeps a version that objects may still be stored at", () => {
    const crd = { ...create(), status: { storedVersions: ["v0", "v1"] } };
    expect(validateCrd(crd).map(formatFieldError)).toEqual([
      'FieldValueInvalid status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
    ]);
  });
});
