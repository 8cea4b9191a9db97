// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type Status } from "../model/status.ts";
import { compareUtf8 } from "../model/text.ts";
import { textOf, textsOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";
import { storageClassOf } from "./storage-class-of.ts";

/** PersistentVolumes. Servers, paths and handles of the volume are not collected. */
export const persistentVolumeKind: Kind = {
  resource: { group: "", resource: "persistentvolumes" },
  kind: "PersistentVolume",
  versions: ["v1"],
  isNamespaced: false,
  columns: [
    { name: "phase", type: "string", isMain: true },
    { name: "capacity", type: "string", isMain: true },
    { name: "storageClass", type: "string", isMain: true },
    { name: "claimNamespace", type: "string", isMain: true },
    { name: "claimName", type: "string", isMain: true },
    { name: "reclaimPolicy", type: "string" },
    { name: "accessModes", type: "stringList" },
    { name: "volumeMode", type: "string" },
    { name: "attributesClass", type: "string" },
    { name: "failureReason", type: "string" },
  ],
  project: projectVolume,
};

/** Other phases are `progressing`. */
const statusOfPhase: ReadonlyMap<string, Status> = new Map([
  ["Available", "healthy"],
  ["Bound", "healthy"],
  ["Released", "healthy"],
  ["Failed", "unhealthy"],
]);

function projectVolume(object: unknown): Projected {
  const columns: Columns = new Map();
  const phase = textOf(object, "status", "phase") ?? "Pending";
  columns.set("phase", phase);
  setColumn(columns, "capacity", textOf(object, "spec", "capacity", "storage"));
  setColumn(columns, "storageClass", storageClassOf(object));
  setColumn(columns, "claimNamespace", textOf(object, "spec", "claimRef", "namespace"));
  setColumn(columns, "claimName", textOf(object, "spec", "claimRef", "name"));
  setColumn(columns, "reclaimPolicy", textOf(object, "spec", "persistentVolumeReclaimPolicy"));
  setColumn(columns, "accessModes", [...textsOf(object, "spec", "accessModes")].sort(compareUtf8));
  setColumn(columns, "volumeMode", textOf(object, "spec", "volumeMode"));
  setColumn(columns, "attributesClass", textOf(object, "spec", "volumeAttributesClassName"));
  const failureReason = textOf(object, "status", "reason");
  if (failureReason !== "") setColumn(columns, "failureReason", failureReason);
  const status = statusOfPhase.get(phase) ?? "progressing";
  return { columns, status: createStatusReport(status, phase, textOf(object, "status", "message")) };
}
