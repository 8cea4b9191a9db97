// SPDX-License-Identifier: Apache-2.0
// The meaning of a predicate, the plain way: what the scan is compared with.
import type { Row } from "../../../model/rows/row.ts";
import type { OrderTest, Predicate } from "../../language/query-predicate.ts";
import { createTypedTest } from "../../language/typed-test.ts";
import { createTextTest } from "../match-texts.ts";
import type { ClusterFields } from "../row-filter.ts";

export interface AskedRow {
  readonly row: Row;
  readonly resource: string;
  readonly fields: ClusterFields;
  readonly nowMs: number;
}

function isOrdered(value: number, order: OrderTest, wanted: number): boolean {
  const outcomes = {
    "<": value < wanted,
    "<=": value <= wanted,
    ">": value > wanted,
    ">=": value >= wanted,
    "=": value === wanted,
  };
  return outcomes[order];
}

function imagesOf({ columns }: Row): readonly string[] {
  const [images = [], ...containers] = ["images", "containers", "initContainers"].map((name) => {
    const value = columns.get(name);
    return typeof value === "object" ? value : [];
  });
  const parsed = containers.flat().flatMap((text) => {
    try {
      const value: unknown = JSON.parse(text);
      const image = typeof value === "object" && value !== null && "image" in value ? value.image : undefined;
      return typeof image === "string" && image !== "" ? [image] : [];
    } catch {
      return [];
    }
  });
  return [...images, ...parsed];
}

/** Whether a predicate holds for one row. */
export function holdsFor(predicate: Predicate, asked: AskedRow): boolean {
  const { row, resource, fields, nowMs } = asked;
  switch (predicate.kind) {
    case "all":
      return true;
    case "and":
      return predicate.parts.every((part) => holdsFor(part, asked));
    case "or":
      return predicate.parts.some((part) => holdsFor(part, asked));
    case "not":
      return !holdsFor(predicate.of, asked);
    case "resources":
      return predicate.resources.includes(resource);
    case "status":
      return row.status === predicate.status;
    case "field":
      return createTextTest(predicate.test)({ ...fields, ...row }[predicate.field]);
    case "label":
    case "annotation": {
      const value = (predicate.kind === "label" ? row.labels : row.annotations).get(predicate.key);
      return value !== undefined && createTextTest(predicate.test)(value);
    }
    case "age":
      return row.createdAt !== 0 && isOrdered(nowMs - row.createdAt, predicate.order, predicate.ms);
    case "created":
      return row.createdAt !== 0 && isOrdered(row.createdAt, predicate.order, predicate.atMs);
    case "owner": {
      const { owner } = row;
      const isOfKind = predicate.ownerKind === "" || owner?.kind === predicate.ownerKind;
      return owner !== undefined && isOfKind && createTextTest(predicate.test)(owner.name);
    }
    case "column": {
      const value = row.columns.get(predicate.column);
      const { text, number, boolean } = predicate.test;
      if (typeof value === "number") return number !== undefined && isOrdered(value, number.order, number.value);
      if (typeof value === "boolean") return value === boolean;
      const passes = (each: string): boolean =>
        (text !== undefined && createTextTest(text)(each)) || createTypedTest(predicate.test)?.(each) === true;
      return (typeof value === "string" ? [value] : (value ?? [])).some(passes);
    }
    case "text":
      return [row.name, row.reason, row.message].some(createTextTest(predicate.test));
    case "image":
      return imagesOf(row).some(createTextTest(predicate.test));
  }
}
