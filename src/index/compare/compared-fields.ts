// SPDX-License-Identifier: Apache-2.0
// The fields of a row under the names that queries use (QL5), without those that differ between any two clusters.
import { textOf } from "../../kinds/fields.ts";
import type { ColumnValue, Row } from "../../model/rows/row.ts";
import { compareUtf8 } from "../../model/text.ts";
import { jsonElements } from "../relations/json-elements.ts";

/**
 * Columns whose value is given by the cluster, not by the configuration: addresses, names of Nodes and volumes. Columns
 * of times, whose names end in `At`, are left out too.
 */
const volatileColumns: ReadonlySet<string> = new Set([
  "node",
  "nominatedNode",
  "podIps",
  "clusterIps",
  "addresses",
  "endpoints",
  "volume",
]);

/** Numbers that controllers report. Where they are wrong, the status differs, which is compared. */
const reportedCounts: ReadonlySet<string> = new Set([
  "active",
  "available",
  "count",
  "current",
  "currentHealthy",
  "currentReplicas",
  "desired",
  "desiredHealthy",
  "desiredReplicas",
  "disruptionsAllowed",
  "endpointCount",
  "expectedPods",
  "failed",
  "failureCount",
  "misscheduled",
  "ready",
  "readyCount",
  "restarts",
  "scheduled",
  "succeeded",
  "updated",
]);

/** Columns of Pods that have the state of each container. Their images are compared as `image`. */
const containerColumns: ReadonlySet<string> = new Set(["containers", "initContainers"]);

/** Labels and annotations that controllers generate. */
const volatileKeys: ReadonlySet<string> = new Set([
  "pod-template-hash",
  "pod-template-generation",
  "controller-revision-hash",
  "controller-uid",
  "batch.kubernetes.io/controller-uid",
  "deployment.kubernetes.io/revision",
  "kubectl.kubernetes.io/restartedAt",
  "reconcile.fluxcd.io/requestedAt",
]);

/** The fields of a row by name. With `withVolatile` also those that always differ (CM2). */
export function rowFields(resource: string, row: Row, withVolatile = false): ReadonlyMap<string, ColumnValue> {
  const fields = new Map<string, ColumnValue>();
  const { labels, annotations, columns } = row;
  const images = imagesOf(row);
  fields.set("status", row.status);
  fields.set("reason", row.reason);
  if (images.length > 0) fields.set("image", images);
  if (row.owner !== undefined) fields.set("owner", ownerText(row, withVolatile));
  for (const [key, value] of labels) if (withVolatile || !volatileKeys.has(key)) fields.set(`label.${key}`, value);
  for (const [key, value] of annotations)
    if (withVolatile || !volatileKeys.has(key)) fields.set(`annotation.${key}`, value);
  for (const [name, value] of columns)
    if (name !== "images" && (withVolatile || !isVolatile(resource, name))) fields.set(`field.${name}`, value);
  if (!withVolatile) return fields;
  fields.set("message", row.message);
  fields.set("uid", row.uid);
  fields.set("resourceVersion", row.resourceVersion);
  fields.set("generation", row.generation);
  if (row.createdAt !== 0) fields.set("created", row.createdAt);
  if (row.deletedAt !== undefined) fields.set("deleted", row.deletedAt);
  return fields;
}

/** The images of a workload's template or of a Pod's containers, each once, sorted. */
export function imagesOf({ columns }: Pick<Row, "columns">): readonly string[] {
  const template = columns.get("images");
  if (typeof template === "object") return template;
  const images = [...containerColumns].flatMap((name) => {
    const texts = columns.get(name);
    return typeof texts === "object" ? jsonElements(texts).flatMap((each) => textOf(each, "image") ?? []) : [];
  });
  return [...new Set(images)].sort(compareUtf8);
}

/** `ReplicaSet/web`: without the hash of the template, unless volatile fields are wanted. */
function ownerText({ owner, labels }: Row, withVolatile: boolean): string {
  const [kind, name] = [owner?.kind ?? "", owner?.name ?? ""];
  const hash = labels.get("pod-template-hash");
  const isHashed = !withVolatile && hash !== undefined && name.endsWith(`-${hash}`);
  return `${kind}/${isHashed ? name.slice(0, -hash.length - 1) : name}`;
}

function isVolatile(resource: string, column: string): boolean {
  if (volatileColumns.has(column) || reportedCounts.has(column) || column.endsWith("At")) return true;
  return resource === "pods" && containerColumns.has(column);
}
