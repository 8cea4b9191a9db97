// SPDX-License-Identifier: Apache-2.0
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { metricPrefix } from "../model/names.ts";
import { metricNames, seedMetricNames } from "./metric-names.ts";

const sourceFolder = new URL("../", import.meta.url);
const table: ReadonlySet<string> = new Set([...Object.values(metricNames), ...seedMetricNames]);

/** Shipped files but the table itself and what is generated, by path. */
const shipped = globSync("**/*.ts", { cwd: sourceFolder, exclude: ["**/*.test.ts", "gen/**", "telemetry/names.ts"] });

/** Texts of a file that look like the name of a metric. */
function namesIn(path: string): readonly string[] {
  const text = readFileSync(new URL(path, sourceFolder), "utf8");
  return [...text.matchAll(/["'`]((?:flotilla|syncer)_[a-z0-9_]+)["'`]/g)].flatMap(([, name]) => name ?? []);
}

describe("the table of metric names", () => {
  test("holds every name that shipped code writes out", () => {
    expect(shipped.length).toBeGreaterThan(100);
    const strangers = shipped.flatMap((path) => namesIn(path).map((name) => `${path}: ${name}`));
    expect(strangers.filter((each) => !table.has(each.slice(each.indexOf(": ") + 2)))).toEqual([]);
  });

  test("has each name once, with our prefix, in letters that Prometheus takes", () => {
    const names = Object.values(metricNames);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(name.startsWith(metricPrefix)).toBe(true);
      expect(name).toMatch(/^[a-z][a-z0-9_]*[a-z0-9]$/);
    }
  });
});
