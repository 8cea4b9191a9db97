// SPDX-License-Identifier: Apache-2.0
// Simple kinds of the core group: namespaces, configuration, accounts, quotas, templates.

import { compareUtf8 } from "../../model/text.ts";
import { type JsonObject } from "../json/json.ts";
import { objectAt, textAt, textOf } from "../json/json-fields.ts";
import { ageCell, containerCells, entryCount, nameOf } from "./cells.ts";
import { ageColumn, nameColumn, printCells, textColumn } from "./columns.ts";
import { formatLabels } from "./selector-text.ts";

export const namespacePrinter = printCells([nameColumn, textColumn("Status"), ageColumn], (namespace, nowMs) => [
  nameOf(namespace),
  textOf(namespace, "status", "phase"),
  ageCell(namespace, nowMs),
]);

export const configMapPrinter = printCells([nameColumn, textColumn("Data"), ageColumn], (configMap, nowMs) => [
  nameOf(configMap),
  entryCount(configMap, "data") + entryCount(configMap, "binaryData"),
  ageCell(configMap, nowMs),
]);

export const secretPrinter = printCells(
  [nameColumn, textColumn("Type"), textColumn("Data"), ageColumn],
  (secret, nowMs) => [nameOf(secret), textOf(secret, "type"), entryCount(secret, "data"), ageCell(secret, nowMs)],
);

/** The printer of kinds with a name and an age only. */
export const nameAndAgePrinter = printCells([nameColumn, ageColumn], (object, nowMs) => [
  nameOf(object),
  ageCell(object, nowMs),
]);

export const podTemplatePrinter = printCells(
  [nameColumn, textColumn("Containers"), textColumn("Images"), textColumn("Pod Labels")],
  (podTemplate) => [
    nameOf(podTemplate),
    ...containerCells(objectAt(podTemplate, "template", "spec")),
    formatLabels(objectAt(podTemplate, "template", "metadata", "labels")),
  ],
);

export const resourceQuotaPrinter = printCells(
  [nameColumn, textColumn("Request"), textColumn("Limit"), ageColumn],
  (quota, nowMs) => [nameOf(quota), quotaCell(quota, false), quotaCell(quota, true), ageCell(quota, nowMs)],
);

/** Used and hard amounts, of limits or of all other resources. */
function quotaCell(quota: JsonObject, isForLimits: boolean): string {
  return Object.keys(objectAt(quota, "status", "hard") ?? {})
    .filter((resource) => resource.startsWith("limits.") === isForLimits)
    .toSorted(compareUtf8)
    .map((resource) => {
      const used = textAt(quota, "status", "used", resource) ?? "0";
      return `${resource}: ${used}/${textOf(quota, "status", "hard", resource)}`;
    })
    .join(", ");
}
