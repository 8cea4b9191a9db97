// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, ensureObject, type JsonObject } from "../../json/json.ts";
import { objectAt, textAt, textsAt } from "../../json/json-fields.ts";
import { hasValue, storageVersionOf } from "./crd-accessors.ts";

/**
 * Sets the API's defaults: singular and list kind from the kind, the conversion strategy None, and the stored versions.
 * Idempotent.
 */
export function setCrdDefaults(crd: DraftObject): void {
  const spec = ensureObject(crd, "spec");
  const names = ensureObject(spec, "names");
  const kind = textAt(names, "kind") ?? "";
  if ((textAt(names, "singular") ?? "") === "") names["singular"] = kind.toLowerCase();
  if ((textAt(names, "listKind") ?? "") === "" && kind !== "") names["listKind"] = `${kind}List`;
  if (!hasValue(spec, "conversion")) spec["conversion"] = { strategy: "None" };
  addStoredVersion(crd);
}

/** Resets the status at creation and sets its stored version. The CRD controller writes names and conditions. */
export function prepareCrdForCreate(crd: DraftObject): void {
  crd["status"] = { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: [] };
  addStoredVersion(crd);
}

/** Keeps the status and adds the storage version to storedVersions. Only a migration may remove versions. */
export function prepareCrdForUpdate(crd: DraftObject, old: JsonObject): void {
  const status = objectAt(old, "status");
  crd["status"] = status === undefined ? {} : copyJson(status);
  addStoredVersion(crd, true);
}

function addStoredVersion(crd: DraftObject, isUpdate = false): void {
  const storage = storageVersionOf(crd)?.name;
  const stored = textsAt(crd, "status", "storedVersions");
  if (storage === undefined || stored.includes(storage) || (stored.length > 0 && !isUpdate)) return;
  ensureObject(crd, "status")["storedVersions"] = [...stored, storage];
}
