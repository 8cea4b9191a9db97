// SPDX-License-Identifier: Apache-2.0
import type { ColumnValue, Row } from "../../model/rows/row.ts";
import { compareUtf8, cutText } from "../../model/text.ts";
import { imagesOf, rowFields } from "./compared-fields.ts";
import { type ImageVersions, imageVersions } from "./image-versions.ts";
import type { ComparedKey, ObjectPresence } from "./object-presence.ts";
import { compareSoftwareVersions, isSoftwareVersion } from "./software-version.ts";

/** The most differing fields of one object in an answer. Rows have some twenty fields and as many labels. */
export const maxDifferences = 100;

/** The most values of one field in an answer. */
export const maxDifferingValues = 50;

/** Bytes of a value that an answer shows. Values are compared whole. */
const maxValueBytes = 1_024;

/** A value of a field, and the clusters that have it. */
export interface FieldValue {
  /** As text, cut if it is long; undefined if the object there does not have the field. */
  readonly value: string | undefined;
  /** In bytewise order. */
  readonly clusters: readonly string[];
}

/** A field that is not the same in all clusters. */
export interface FieldDifference {
  /** As in queries: `status`, `image`, `label.app`, `field.replicas`. */
  readonly field: string;
  /** The field is named as a version and has only versions: the newest comes first. Otherwise the most frequent does. */
  readonly areVersions: boolean;
  readonly values: readonly FieldValue[];
  /** Values that were left out. */
  readonly otherValueCount: number;
}

/** One object over all clusters. Lists of clusters are in bytewise order. */
export interface ComparedObject extends ComparedKey {
  readonly presentIn: readonly string[];
  /** It is not there, and the subject would see it. */
  readonly missingIn: readonly string[];
  /** The index does not have all objects of the resource, so absence is not proved. */
  readonly unknownIn: readonly string[];
  /** The subject would not see it, whether it is there or not. */
  readonly noAccessIn: readonly string[];
  /** By field, bytewise. */
  readonly differences: readonly FieldDifference[];
  /** Differing fields that were left out. */
  readonly otherDifferenceCount: number;
  /** By creation time as each cluster reports it; undefined if none is known. */
  readonly newest: CreatedObject | undefined;
  readonly oldest: CreatedObject | undefined;
  readonly images: readonly ImageVersions[];
}

export interface CreatedObject {
  readonly cluster: string;
  readonly createdAtMs: number;
}

/** The comparison of an object that was read. */
export function describeObject(
  key: ComparedKey,
  presence: ReadonlyMap<string, ObjectPresence>,
  withVolatile: boolean,
): ComparedObject {
  const rows = presentRows(presence);
  const fields = rows.map(([cluster, row]) => [cluster, rowFields(key.resource, row, withVolatile)] as const);
  const differences = differencesOf(fields);
  const created = rows
    .map(([cluster, { createdAt }]) => ({ cluster, createdAtMs: createdAt }))
    .filter(({ createdAtMs }) => createdAtMs !== 0)
    .sort((a, b) => a.createdAtMs - b.createdAtMs || compareUtf8(a.cluster, b.cluster));
  const clustersWith = (wanted: ObjectPresence): readonly string[] =>
    [...presence].filter(([, found]) => found === wanted).map(([cluster]) => cluster);
  return {
    ...key,
    presentIn: rows.map(([cluster]) => cluster),
    missingIn: clustersWith("missing"),
    unknownIn: clustersWith("unknown"),
    noAccessIn: clustersWith("noAccess"),
    differences: differences.slice(0, maxDifferences),
    otherDifferenceCount: Math.max(0, differences.length - maxDifferences),
    newest: created.at(-1),
    oldest: created.at(0),
    images: imageVersions(rows.map(([cluster, row]) => [cluster, imagesOf(row)])),
  };
}

/** The clusters that have the object, with its row. */
export function presentRows(presence: ReadonlyMap<string, ObjectPresence>): readonly (readonly [string, Row])[] {
  return [...presence].flatMap(([cluster, found]) => (typeof found === "object" ? [[cluster, found] as const] : []));
}

type ClusterFieldValues = readonly [cluster: string, fields: ReadonlyMap<string, ColumnValue>];

function differencesOf(all: readonly ClusterFieldValues[]): readonly FieldDifference[] {
  const names = [...new Set(all.flatMap(([, fields]) => [...fields.keys()]))].sort(compareUtf8);
  return names.flatMap((field) => {
    const values = groupValues(all.map(([cluster, fields]) => [cluster, fields.get(field)]));
    return values.length > 1 ? [differenceOf(field, values)] : [];
  });
}

/** Equal values with the clusters that have them. */
export function groupValues(
  values: readonly (readonly [cluster: string, value: ColumnValue | undefined])[],
): readonly FieldValue[] {
  const groups = new Map<string, { readonly value: string | undefined; readonly clusters: string[] }>();
  for (const [cluster, value] of values) {
    // A text never equals a number, and a list never a text.
    const key = JSON.stringify(value) ?? "";
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { value: valueText(value), clusters: [cluster] });
    else known.clusters.push(cluster);
  }
  return [...groups.values()];
}

/** A value as text. */
export function valueText(value: ColumnValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  return cutText(typeof value === "object" ? value.join(", ") : String(value), maxValueBytes);
}

function differenceOf(field: string, values: readonly FieldValue[]): FieldDifference {
  const areVersions =
    /version/i.test(field) && values.every(({ value }) => value === undefined || isSoftwareVersion(value));
  const sorted = values.toSorted((a, b) => {
    const absent = Number(a.value === undefined) - Number(b.value === undefined);
    const [one, other] = [a.value ?? "", b.value ?? ""];
    const byClusters = b.clusters.length - a.clusters.length;
    return (
      (areVersions ? absent || compareSoftwareVersions(one, other) : byClusters || absent || compareUtf8(one, other)) ||
      compareUtf8(a.clusters[0] ?? "", b.clusters[0] ?? "")
    );
  });
  return {
    field,
    areVersions,
    values: sorted.slice(0, maxDifferingValues),
    otherValueCount: Math.max(0, sorted.length - maxDifferingValues),
  };
}
