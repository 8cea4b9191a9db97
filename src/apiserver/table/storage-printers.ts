// SPDX-License-Identifier: Apache-2.0
// Volumes, claims and the group storage.k8s.io.

import { type JsonObject } from "../json/json.ts";
import { listAt, objectsAt, textAt, textOf, textsAt, valueAt } from "../json/json-fields.ts";
import { ageCell, booleanCell, isBeingDeleted, nameOf } from "./cells.ts";
import { ageColumn, booleanColumn, integerColumn, nameColumn, printCells, textColumn, wideColumn } from "./columns.ts";

/** Access modes with their short names, in display order. */
const accessModes: readonly (readonly [mode: string, shown: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

export const persistentVolumePrinter = printCells(
  [
    nameColumn,
    textColumn("Capacity"),
    textColumn("Access Modes"),
    textColumn("Reclaim Policy"),
    textColumn("Status"),
    textColumn("Claim"),
    textColumn("StorageClass"),
    textColumn("VolumeAttributesClass"),
    textColumn("Reason"),
    ageColumn,
    wideColumn("VolumeMode"),
  ],
  (volume, nowMs) => [
    nameOf(volume),
    textAt(volume, "spec", "capacity", "storage") ?? "0",
    modesCell(textsAt(volume, "spec", "accessModes")),
    textOf(volume, "spec", "persistentVolumeReclaimPolicy"),
    phaseCell(volume),
    claimCell(volume),
    className(volume),
    textAt(volume, "spec", "volumeAttributesClassName") ?? "<unset>",
    textOf(volume, "status", "reason"),
    ageCell(volume, nowMs),
    textAt(volume, "spec", "volumeMode") ?? "<unset>",
  ],
);

export const persistentVolumeClaimPrinter = printCells(
  [
    nameColumn,
    textColumn("Status"),
    textColumn("Volume"),
    textColumn("Capacity"),
    textColumn("Access Modes"),
    textColumn("StorageClass"),
    textColumn("VolumeAttributesClass"),
    ageColumn,
    wideColumn("VolumeMode"),
  ],
  (claim, nowMs) => {
    const volume = textOf(claim, "spec", "volumeName");
    return [
      nameOf(claim),
      phaseCell(claim),
      volume,
      volume === "" ? "" : (textAt(claim, "status", "capacity", "storage") ?? "0"),
      volume === "" ? "" : modesCell(textsAt(claim, "status", "accessModes")),
      className(claim),
      textAt(claim, "spec", "volumeAttributesClassName") ?? "<unset>",
      ageCell(claim, nowMs),
      textAt(claim, "spec", "volumeMode") ?? "<unset>",
    ];
  },
);

export const storageClassPrinter = printCells(
  [
    nameColumn,
    textColumn("Provisioner"),
    textColumn("ReclaimPolicy"),
    textColumn("VolumeBindingMode"),
    textColumn("AllowVolumeExpansion"),
    ageColumn,
  ],
  (storageClass, nowMs) => [
    `${nameOf(storageClass)}${isDefaultClass(storageClass) ? " (default)" : ""}`,
    textOf(storageClass, "provisioner"),
    textAt(storageClass, "reclaimPolicy") ?? "Delete",
    textAt(storageClass, "volumeBindingMode") ?? "Immediate",
    booleanCell(storageClass, "allowVolumeExpansion"),
    ageCell(storageClass, nowMs),
  ],
);

export const volumeAttributesClassPrinter = printCells(
  [nameColumn, textColumn("DriverName"), ageColumn],
  (attributesClass, nowMs) => [
    nameOf(attributesClass),
    textOf(attributesClass, "driverName"),
    ageCell(attributesClass, nowMs),
  ],
);

export const csiDriverPrinter = printCells(
  [
    nameColumn,
    booleanColumn("AttachRequired"),
    booleanColumn("PodInfoOnMount"),
    booleanColumn("StorageCapacity"),
    textColumn("TokenRequests"),
    booleanColumn("RequiresRepublish"),
    textColumn("Modes"),
    ageColumn,
  ],
  (driver, nowMs) => [
    nameOf(driver),
    valueAt(driver, "spec", "attachRequired") !== false,
    booleanCell(driver, "spec", "podInfoOnMount"),
    booleanCell(driver, "spec", "storageCapacity"),
    tokenRequests(driver),
    booleanCell(driver, "spec", "requiresRepublish"),
    textsAt(driver, "spec", "volumeLifecycleModes").join(",") || "<none>",
    ageCell(driver, nowMs),
  ],
);

export const csiNodePrinter = printCells([nameColumn, integerColumn("Drivers"), ageColumn], (node, nowMs) => [
  nameOf(node),
  objectsAt(node, "spec", "drivers").length,
  ageCell(node, nowMs),
]);

export const volumeAttachmentPrinter = printCells(
  [
    nameColumn,
    { ...textColumn("Attacher"), format: "name" },
    textColumn("PV"),
    textColumn("Node"),
    booleanColumn("Attached"),
    ageColumn,
  ],
  (attachment, nowMs) => [
    nameOf(attachment),
    textOf(attachment, "spec", "attacher"),
    textOf(attachment, "spec", "source", "persistentVolumeName"),
    textOf(attachment, "spec", "nodeName"),
    booleanCell(attachment, "status", "attached"),
    ageCell(attachment, nowMs),
  ],
);

function modesCell(modes: readonly string[]): string {
  const shown = accessModes.flatMap(([mode, short]) => (modes.includes(mode) ? [short] : []));
  return shown.join(",");
}

function phaseCell(object: JsonObject): string {
  return isBeingDeleted(object) ? "Terminating" : textOf(object, "status", "phase");
}

function claimCell(volume: JsonObject): string {
  if (valueAt(volume, "spec", "claimRef") === undefined) return "";
  return `${textOf(volume, "spec", "claimRef", "namespace")}/${textOf(volume, "spec", "claimRef", "name")}`;
}

/** The annotation is older than the field and takes precedence. */
function className(object: JsonObject): string {
  const annotated = textAt(object, "metadata", "annotations", "volume.beta.kubernetes.io/storage-class");
  return annotated ?? textOf(object, "spec", "storageClassName");
}

function isDefaultClass(storageClass: JsonObject): boolean {
  const keys = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
  return keys.some((key) => textAt(storageClass, "metadata", "annotations", key) === "true");
}

function tokenRequests(driver: JsonObject): string {
  if (listAt(driver, "spec", "tokenRequests") === undefined) return "<unset>";
  return objectsAt(driver, "spec", "tokenRequests")
    .map((request) => textOf(request, "audience"))
    .join(",");
}
