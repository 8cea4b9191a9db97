// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { compareUtf8 } from "../model/text.ts";
import { accessModesText } from "./access-modes.ts";
import { conditionsOf, findCondition, statusFrom } from "./conditions.ts";
import { textOf, textsOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";
import { storageClassOf } from "./storage-class-of.ts";

/**
 * PersistentVolumeClaims. `accessModes` are the requested ones. `boundModes` are those of the volume as kubectl prints
 * them (`RWO,ROX`), set for a claim with a volume where they differ.
 */
export const persistentVolumeClaimKind: Kind = {
  resource: { group: "", resource: "persistentvolumeclaims" },
  kind: "PersistentVolumeClaim",
  versions: ["v1"],
  isNamespaced: true,
  columns: [
    { name: "phase", type: "string", isMain: true },
    { name: "volume", type: "string", isMain: true },
    { name: "storageClass", type: "string", isMain: true },
    { name: "capacity", type: "string", isMain: true },
    { name: "requested", type: "string" },
    { name: "accessModes", type: "stringList" },
    { name: "boundModes", type: "string" },
    { name: "volumeMode", type: "string" },
    { name: "attributesClass", type: "string" },
  ],
  project: projectClaim,
};

function projectClaim(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "phase", textOf(object, "status", "phase"));
  setColumn(columns, "volume", textOf(object, "spec", "volumeName"));
  setColumn(columns, "storageClass", storageClassOf(object));
  setColumn(columns, "capacity", textOf(object, "status", "capacity", "storage"));
  setColumn(columns, "requested", textOf(object, "spec", "resources", "requests", "storage"));
  const accessModes = textsOf(object, "spec", "accessModes");
  setColumn(columns, "accessModes", [...accessModes].sort(compareUtf8));
  setBoundModes(columns, object, accessModes);
  setColumn(columns, "volumeMode", textOf(object, "spec", "volumeMode"));
  setColumn(columns, "attributesClass", textOf(object, "spec", "volumeAttributesClassName"));
  return { columns, status: statusOf(object) };
}

function setBoundModes(columns: Columns, object: unknown, requested: readonly string[]): void {
  if ((textOf(object, "spec", "volumeName") ?? "") === "") return;
  const modes = accessModesText(textsOf(object, "status", "accessModes"));
  if (modes !== accessModesText(requested)) columns.set("boundModes", modes);
}

function statusOf(object: unknown): StatusReport {
  const phase = textOf(object, "status", "phase") ?? "Pending";
  if (phase === "Lost") return createStatusReport("unhealthy", "Lost", "the volume it was bound to is gone");
  if (phase !== "Bound") return createStatusReport("progressing", phase, "it is not bound to a volume yet");
  const resizing = findCondition(conditionsOf(object), "Resizing");
  return resizing?.status === "True" ? statusFrom("progressing", resizing) : createStatusReport("healthy");
}
