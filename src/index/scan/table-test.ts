// SPDX-License-Identifier: Apache-2.0
import type { Predicate } from "../language/query-predicate.ts";
import { createTextTest } from "./match-texts.ts";
import type { ClusterFields } from "./row-filter.ts";

/** What decides for whole tables: resource and cluster. */
export interface TablePlace {
  /** The text of the resource id. */
  readonly resource: string;
  readonly fields: ClusterFields;
}

/** True or false if the predicate is so for every row of the table; undefined if rows decide. */
export type TableTest = (place: TablePlace) => boolean | undefined;

/** The part of a predicate that needs no row. */
export function createTableTest(predicate: Predicate): TableTest {
  switch (predicate.kind) {
    case "all":
      return () => true;
    case "resources": {
      const resources = new Set(predicate.resources);
      return ({ resource }) => resources.has(resource);
    }
    case "field": {
      const { field, test } = predicate;
      if (field !== "cluster" && field !== "region" && field !== "environment") return () => undefined;
      const passes = createTextTest(test);
      return ({ fields }) => passes(fields[field]);
    }
    case "not": {
      const of = createTableTest(predicate.of);
      return (place) => {
        const holds = of(place);
        return holds === undefined ? undefined : !holds;
      };
    }
    case "and":
      return joinTests(predicate.parts.map(createTableTest), false);
    case "or":
      return joinTests(predicate.parts.map(createTableTest), true);
    default:
      return () => undefined;
  }
}

/** One test with the decisive answer decides; without one, all must be decided. */
function joinTests(tests: readonly TableTest[], decisive: boolean): TableTest {
  return (place) => {
    let isOpen = false;
    for (const test of tests) {
      const holds = test(place);
      if (holds === decisive) return decisive;
      if (holds === undefined) isOpen = true;
    }
    return isOpen ? undefined : !decisive;
  };
}
