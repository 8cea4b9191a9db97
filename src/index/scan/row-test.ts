// SPDX-License-Identifier: Apache-2.0
// A predicate over single rows that are values. For few rows of many tables: a filter of columns, which searches the
// dictionaries of a cluster first, would cost more than all the rows (`row-filter.ts`). Both mean the same.
import { unreachable } from "../../base/assert.ts";
import type { ColumnValue, Row } from "../../model/rows/row.ts";
import type { ColumnTest, OrderTest, Predicate, TextTest } from "../language/query-predicate.ts";
import { createTypedTest } from "../language/typed-test.ts";
import { imageOfContainer } from "./container-image.ts";
import { createTextTest } from "./match-texts.ts";
import type { TablePlace } from "./table-test.ts";

/** What a test needs besides the row. */
export interface RowContext extends TablePlace {
  /** The moment of the query, for ages. */
  readonly nowMs: number;
}

export type RowTest = (row: Row, place: RowContext) => boolean;

/** Compiles a predicate once for the rows of all tables. */
export function createRowTest(predicate: Predicate): RowTest {
  switch (predicate.kind) {
    case "all":
      return () => true;
    case "and":
      return joinTests(predicate.parts.map(createRowTest), false);
    case "or":
      return joinTests(predicate.parts.map(createRowTest), true);
    case "not": {
      const test = createRowTest(predicate.of);
      return (row, place) => !test(row, place);
    }
    case "resources": {
      const resources = new Set(predicate.resources);
      return (_row, { resource }) => resources.has(resource);
    }
    case "status": {
      const { status } = predicate;
      return (row) => row.status === status;
    }
    case "age": {
      const { order, ms } = predicate;
      return ({ createdAt }, { nowMs }) => createdAt !== 0 && isOrdered(nowMs - createdAt, order, ms);
    }
    case "created": {
      const { order, atMs } = predicate;
      return ({ createdAt }) => createdAt !== 0 && isOrdered(createdAt, order, atMs);
    }
    case "field":
      return createFieldTest(predicate);
    case "label":
    case "annotation": {
      const [name, passes] = [`${predicate.kind}s` as const, createTextTest(predicate.test)];
      return (row) => {
        const value = row[name].get(predicate.key);
        return value !== undefined && passes(value);
      };
    }
    case "owner": {
      const { ownerKind, test } = predicate;
      const passes = createTextTest(test);
      return ({ owner }) => owner !== undefined && (ownerKind === "" || owner.kind === ownerKind) && passes(owner.name);
    }
    case "column": {
      const passes = createValueTest(predicate.test);
      return ({ columns }) => passes(columns.get(predicate.column));
    }
    case "image":
      return createImageTest(predicate.test);
    case "text": {
      const passes = createTextTest(predicate.test);
      return ({ name, reason, message }) => passes(name) || passes(reason) || passes(message);
    }
    default:
      return unreachable(predicate, "predicate");
  }
}

/** The first test with the decisive answer decides. */
function joinTests(tests: readonly RowTest[], decisive: boolean): RowTest {
  return (row, place) => {
    for (const test of tests) if (test(row, place) === decisive) return decisive;
    return !decisive;
  };
}

function createFieldTest({ field, test }: Extract<Predicate, { kind: "field" }>): RowTest {
  const passes = createTextTest(test);
  if (field === "cluster" || field === "region" || field === "environment")
    return (_row, { fields }) => passes(fields[field]);
  return (row) => passes(row[field]);
}

/** A value passes by the test of its type. */
function createValueTest(test: ColumnTest): (value: ColumnValue | undefined) => boolean {
  const { text, number, boolean } = test;
  const isText = text === undefined ? undefined : createTextTest(text);
  const isTyped = createTypedTest(test);
  const passes = (each: string): boolean => isText?.(each) === true || isTyped?.(each) === true;
  return (value) => {
    switch (typeof value) {
      case "undefined":
        return false;
      case "number":
        return number !== undefined && isOrdered(value, number.order, number.value);
      case "boolean":
        return value === boolean;
      case "string":
        return passes(value);
      default:
        return value.some(passes);
    }
  };
}

function createImageTest(test: TextTest): RowTest {
  const passes = createTextTest(test);
  const isImage = createValueTest({ text: test });
  const hasImage = (text: string): boolean => {
    const image = imageOfContainer(text);
    return image !== undefined && passes(image);
  };
  const anyHasImage = (value: ColumnValue | undefined): boolean => typeof value === "object" && value.some(hasImage);
  return ({ columns }) =>
    isImage(columns.get("images")) ||
    anyHasImage(columns.get("containers")) ||
    anyHasImage(columns.get("initContainers"));
}

function isOrdered(value: number, order: OrderTest, wanted: number): boolean {
  switch (order) {
    case "<":
      return value < wanted;
    case "<=":
      return value <= wanted;
    case ">":
      return value > wanted;
    case ">=":
      return value >= wanted;
    case "=":
      return value === wanted;
  }
}
