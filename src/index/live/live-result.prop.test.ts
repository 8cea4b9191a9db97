// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHasher } from "../../model/rows/hasher.ts";
import type { QueriedFleet } from "../query/query-request.ts";
import type { KindTable } from "../table/kind-table.ts";
import { LiveWorld, type PlantedMistake } from "./testing/live-world.ts";
import { anyLiveQuestion, anyOneRowStep, anySizes, anySmallPage, anyStep } from "./testing/world-steps.ts";

const hasher = await createHasher();
const anySteps = fc.array(anyStep, { minLength: 4, maxLength: 60, size: "max" });

/** Throws unless, after each look, what a reader made of all updates is what a query answers. */
function checkViews(numRuns: number, mistake: PlantedMistake = {}): void {
  fc.assert(
    fc.property(anyLiveQuestion, anySizes, anySteps, (question, sizes, steps) => {
      const world = new LiveWorld({ hasher, question, sizes, mistake });
      for (const step of steps) {
        world.apply(step);
        if (step.kind === "look") expect(world.shown()).toEqual(world.asked());
      }
    }),
    { numRuns, endOnFailure: true },
  );
}

/** The same for small pages, whose rows come and go one at a time. A small log has the last three changes. */
function checkSmallPages(numRuns: number): void {
  const steps = fc.array(anyOneRowStep, { minLength: 10, maxLength: 60, size: "max" });
  fc.assert(
    fc.property(
      anySmallPage,
      fc.constantFrom(0, 1, 2),
      fc.constantFrom(1_500, 1_000_000),
      steps,
      (question, spareRows, maxLogBytes, all) => {
        const sizes = { sliceRows: 1_000_000, spareRows, maxViewBytes: 1_000_000, maxLogBytes };
        const world = new LiveWorld({ hasher, question, sizes });
        for (const step of all) {
          world.apply(step);
          if (step.kind === "look") expect(world.shown()).toEqual(world.asked());
        }
      },
    ),
    { numRuns },
  );
}

/** Tables whose version stays while they lose rows. */
function withoutDeletes(fleet: QueriedFleet): QueriedFleet {
  const seen = new Map<string, { count: number; version: number }>();
  return {
    namespaces: fleet.namespaces,
    clusterIds: () => fleet.clusterIds(),
    get: (id) => {
      const cluster = fleet.get(id);
      if (cluster === undefined) return undefined;
      const tables = Array.from(cluster.tables, ([resource, { count, version }]): [string, KindTable] => {
        const key = `${id} ${resource}`;
        const known = seen.get(key) ?? { count, version };
        seen.set(key, known);
        if (count > known.count) known.version = version;
        known.count = count;
        return [resource, known as KindTable];
      });
      return { ...cluster, tables: new Map(tables) };
    },
  };
}

const mistakes: Readonly<Record<string, PlantedMistake>> = {
  "the grants of the first moment": { request: (request) => ({ ...request, accessKeyOf: () => 0 }) },
  "a delete that is not noticed": { compared: withoutDeletes },
  "a change that is not in the log": { delta: (delta) => ({ ...delta, changes: delta.changes.slice(1) }) },
  "a row before a change that is not known": {
    delta: (delta) => ({ ...delta, changes: delta.changes.map(({ after }) => ({ before: undefined, after })) }),
  },
  "a row that left and is not named": { difference: (each) => ({ ...each, left: each.left.slice(1) }) },
  "one row beyond the limit": { request: (request) => ({ ...request, limit: request.limit + 1 }) },
  "one row less than the limit": { request: (request) => ({ ...request, limit: Math.max(0, request.limit - 1) }) },
};

describe("[QL16] [QL18] [QL19] [Q-37] a live view", () => {
  test("[QL17] shows at every moment the rows, order, total and facets of the query", () => {
    checkViews(400);
  });

  test("[QL17] fills a page from which rows left, and forgets rows that others push off it", () => {
    checkSmallPages(100);
  });

  for (const [name, mistake] of Object.entries(mistakes))
    test(`is found wrong with ${name}`, () => {
      expect(() => checkViews(200, mistake)).toThrow("Property failed");
    });
});
