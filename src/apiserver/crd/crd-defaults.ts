// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, ensureObject, type JsonObject, objectAt, textAt } from "../json/json.ts";
import { hasValue, storageVersionOf, textsAt } from "./crd-parts.ts";

/** Fills what the API fills in: singular and list kind from the kind, no conversion, and the stored versions. Doing it twice is doing it once. */
export function setCrdDefaults(crd: DraftObject): void {
  const spec = ensureObject(crd, "spec");
  const names = ensureObject(spec, "names");
  const kind = textAt(names, "kind") ?? "";
  if ((textAt(names, "singular") ?? "") === "") names["singular"] = kind.toLowerCase();
  if ((textAt(names, "listKind") ?? "") === "" && kind !== "") names["listKind"] = `${kind}List`;
  if (!hasValue(spec, "conversion")) spec["conversion"] = { strategy: "None" };
  addStoredVersion(crd);
}

/**
 * What a client cannot set at creation. The status begins with the stored version; names and conditions are written by whoever establishes the definition.
 */
export function prepareCrdForCreate(crd: DraftObject): void {
  crd["status"] = { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: [] };
  addStoredVersion(crd);
}

/** A definition keeps its status; the storage version joins the stored versions, which only a migration may shorten. */
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
