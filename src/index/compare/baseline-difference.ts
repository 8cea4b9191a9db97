// SPDX-License-Identifier: Apache-2.0
import type { ColumnValue } from "../../model/rows/row.ts";
import { compareUtf8 } from "../../model/text.ts";
import {
  type FieldValue,
  groupValues,
  maxDifferences,
  maxDifferingValues,
  presentRows,
  valueText,
} from "./compare-object.ts";
import { rowFields } from "./compared-fields.ts";
import type { ComparedKey, ObjectPresence } from "./object-presence.ts";

/** How an object in other clusters differs from that of one cluster, the baseline. Clusters are in bytewise order. */
export interface BaselineDifference extends ComparedKey {
  /** The baseline has it, these do not, and the subject would see it there. */
  readonly missingIn: readonly string[];
  /** These have it, the baseline does not. */
  readonly extraIn: readonly string[];
  /** Fields that are not as in the baseline, by field, bytewise. */
  readonly differences: readonly BaselineFieldDifference[];
  /** Differing fields that were left out. */
  readonly otherDifferenceCount: number;
}

export interface BaselineFieldDifference {
  readonly field: string;
  /** The value in the baseline; undefined if the object there does not have the field. */
  readonly baselineValue: string | undefined;
  /** Other values, the most frequent first. */
  readonly values: readonly FieldValue[];
  /** Values that were left out. */
  readonly otherValueCount: number;
}

/**
 * The differences of an object from the baseline; undefined if there is none, or if the baseline's object cannot be
 * known: hidden, or not certain to be absent.
 */
export function compareWithBaseline(
  key: ComparedKey,
  presence: ReadonlyMap<string, ObjectPresence>,
  baseline: string,
  withVolatile: boolean,
): BaselineDifference | undefined {
  const own = presence.get(baseline);
  if (own === undefined || own === "unknown" || own === "noAccess") return undefined;
  const rows = presentRows(presence).filter(([cluster]) => cluster !== baseline);
  if (own === "missing") {
    const extraIn = rows.map(([cluster]) => cluster);
    return extraIn.length === 0
      ? undefined
      : { ...key, missingIn: [], extraIn, differences: [], otherDifferenceCount: 0 };
  }
  const missingIn = [...presence].filter(([, found]) => found === "missing").map(([cluster]) => cluster);
  const fields = rows.map(([cluster, row]) => [cluster, rowFields(key.resource, row, withVolatile)] as const);
  const differences = fieldDifferences(rowFields(key.resource, own, withVolatile), fields);
  if (missingIn.length + differences.length === 0) return undefined;
  return {
    ...key,
    missingIn,
    extraIn: [],
    differences: differences.slice(0, maxDifferences),
    otherDifferenceCount: Math.max(0, differences.length - maxDifferences),
  };
}

function fieldDifferences(
  own: ReadonlyMap<string, ColumnValue>,
  others: readonly (readonly [cluster: string, fields: ReadonlyMap<string, ColumnValue>])[],
): readonly BaselineFieldDifference[] {
  const names = new Set([...own.keys(), ...others.flatMap(([, fields]) => [...fields.keys()])]);
  return [...names].sort(compareUtf8).flatMap((field) => {
    const wanted = JSON.stringify(own.get(field));
    const differing = others
      .map(([cluster, fields]) => [cluster, fields.get(field)] as const)
      .filter(([, value]) => JSON.stringify(value) !== wanted);
    if (differing.length === 0) return [];
    const values = groupValues(differing).toSorted(
      (a, b) => b.clusters.length - a.clusters.length || compareUtf8(a.clusters[0] ?? "", b.clusters[0] ?? ""),
    );
    return [
      {
        field,
        baselineValue: valueText(own.get(field)),
        values: values.slice(0, maxDifferingValues),
        otherValueCount: Math.max(0, values.length - maxDifferingValues),
      },
    ];
  });
}
