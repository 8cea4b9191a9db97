// SPDX-License-Identifier: Apache-2.0
// PersistentVolumes and PersistentVolumeClaims.
import type { RowContent } from "../../model/rows/row.ts";
import { accessModesText } from "../access-modes.ts";
import {
  ageColumn,
  createRowTable,
  nameColumn,
  type PrintedColumn,
  textColumn,
  wideColumn,
} from "./printed-columns.ts";
import { listIn, textIn } from "./row-values.ts";

const statusColumn: PrintedColumn = textColumn("Status", (row) =>
  row.deletedAt === undefined ? textIn(row, "phase") : "Terminating",
);
const classColumn: PrintedColumn = textColumn("StorageClass", (row) => textIn(row, "storageClass"));
const attributesColumn: PrintedColumn = textColumn("VolumeAttributesClass", ({ columns }) =>
  textOrUnset(columns.get("attributesClass")),
);
const modeColumn: PrintedColumn = wideColumn("VolumeMode", ({ columns }) => textOrUnset(columns.get("volumeMode")));

/** PersistentVolumes. */
export const persistentVolumeTable = createRowTable([
  nameColumn,
  textColumn("Capacity", (row) => textIn(row, "capacity") || "0"),
  textColumn("Access Modes", (row) => accessModesText(listIn(row, "accessModes") ?? [])),
  textColumn("Reclaim Policy", (row) => textIn(row, "reclaimPolicy")),
  statusColumn,
  textColumn("Claim", claimCell),
  classColumn,
  attributesColumn,
  textColumn("Reason", (row) => textIn(row, "failureReason")),
  ageColumn,
  modeColumn,
]);

/** PersistentVolumeClaims. Capacity and access modes are those of the volume, so a claim without one has none. */
export const persistentVolumeClaimTable = createRowTable([
  nameColumn,
  statusColumn,
  textColumn("Volume", (row) => textIn(row, "volume")),
  textColumn("Capacity", (row) => (textIn(row, "volume") === "" ? "" : textIn(row, "capacity") || "0")),
  textColumn("Access Modes", boundModesCell),
  classColumn,
  attributesColumn,
  ageColumn,
  modeColumn,
]);

function textOrUnset(value: unknown): string {
  return typeof value === "string" ? value : "<unset>";
}

function claimCell(row: RowContent): string {
  const [namespace, name] = [textIn(row, "claimNamespace"), textIn(row, "claimName")];
  return namespace === "" && name === "" ? "" : `${namespace}/${name}`;
}

function boundModesCell(row: RowContent): string {
  if (textIn(row, "volume") === "") return "";
  const bound = row.columns.get("boundModes");
  return typeof bound === "string" ? bound : accessModesText(listIn(row, "accessModes") ?? []);
}
