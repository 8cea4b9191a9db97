// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../base/error.ts";
import type { ColumnValue } from "../model/rows/row.ts";
import { rbacKinds } from "./core-kinds.ts";
import { oversized } from "./testing/arbitrary-objects.ts";
import { createSamples } from "./testing/sample-objects.ts";
import { noFacts, sealedRowOf } from "./testing/sample-rows.ts";

const samples = Array.from(createSamples("marker"), ([kind, object]) => [kind.kind, kind, object] as const);
const cuttable = samples.filter(([, kind]) => !rbacKinds.includes(kind));

describe("objects far too long", () => {
  test.each(cuttable)(
    "[KI6] a %s however long fits into a row that keeps the beginnings and names what was cut",
    (_, kind, sample) => {
      fc.assert(
        fc.property(oversized(sample), (object) => {
          const row = sealedRowOf(kind, object);
          const { columns } = kind.project(object, noFacts);
          const cut = Array.from(columns.keys()).filter(
            (name) => !isDeepStrictEqual(columns.get(name), row.columns.get(name)),
          );
          const told = row.columns.get("cut") ?? [];
          expect(typeof told === "object" ? told.filter((name) => columns.has(name)) : told).toEqual(cut);
          for (const name of cut) expect(beginsWith(columns.get(name), row.columns.get(name))).toBe(true);
        }),
        { numRuns: 5 },
      );
    },
  );

  test.each(rbacKinds.map((kind) => [kind.kind, kind] as const))(
    "[KI18] a %s that is too long is refused as a whole, never cut",
    (_, kind) => {
      const sample = samples.find(([, each]) => each === kind)?.[2];
      fc.assert(
        fc.property(oversized(sample), (object) => {
          const outcome = attempt(() => sealedRowOf(kind, object));
          if (outcome instanceof FlotillaError) {
            expect(outcome.code).toBe("TOO_LARGE");
            return;
          }
          const cut = outcome.columns.get("cut") ?? [];
          for (const column of kind.columns) if (column.isWhole === true) expect(cut).not.toContain(column.name);
        }),
        { numRuns: 5 },
      );
    },
  );
});

function beginsWith(whole: ColumnValue | undefined, kept: ColumnValue | undefined): boolean {
  if (typeof whole === "string") return typeof kept === "string" && whole.startsWith(kept.slice(0, -1));
  if (typeof whole !== "object" || typeof kept !== "object") return false;
  return kept.length < whole.length && kept.every((each, at) => each === whole[at]);
}

function attempt<T>(run: () => T): T | FlotillaError {
  try {
    return run();
  } catch (reason) {
    if (reason instanceof FlotillaError) return reason;
    throw reason;
  }
}
