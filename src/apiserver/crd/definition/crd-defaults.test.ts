// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { copyJson } from "../../json/json.ts";
import { objectAt, valueAt } from "../../json/json-fields.ts";
import { widgets } from "../testing/recorded.ts";
import { prepareCrdForCreate, prepareCrdForUpdate, setCrdDefaults } from "./crd-defaults.ts";

test("names, conversion and stored versions are filled in, and filling them again changes nothing", () => {
  const crd = widgets();
  setCrdDefaults(crd);
  expect(objectAt(crd, "spec", "names")).toEqual({
    plural: "widgets",
    kind: "Widget",
    singular: "widget",
    listKind: "WidgetList",
  });
  expect(valueAt(crd, "spec", "conversion")).toEqual({ strategy: "None" });
  expect(valueAt(crd, "status", "storedVersions")).toEqual(["v1"]);
  const again = copyJson(crd);
  setCrdDefaults(again);
  expect(again).toEqual(crd);
});

test("a new definition has the status that the real server answers with", () => {
  const crd = { ...widgets(), status: { acceptedNames: { plural: "mine" } } };
  prepareCrdForCreate(crd);
  expect(crd.status).toEqual({
    conditions: null,
    acceptedNames: { plural: "", kind: "" },
    storedVersions: ["v1"],
  });
});

test("a new storage version joins those that are stored", () => {
  const version = { name: "v2", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
  const crd = widgets({ spec: { versions: [version] } });
  prepareCrdForUpdate(crd, { ...widgets(), status: { acceptedNames: { plural: "widgets" }, storedVersions: ["v1"] } });
  expect(crd["status"]).toEqual({ acceptedNames: { plural: "widgets" }, storedVersions: ["v1", "v2"] });
});
