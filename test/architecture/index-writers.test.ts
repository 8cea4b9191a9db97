// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";
import { checkIndexWriters } from "./index-writers.ts";
import { toSourceFile } from "./source-tree.ts";

describe("rows enter the index through ingest", () => {
  test.each([
    ["src/hub/gitops/a.ts", "await index.prepare(cluster, parts);"],
    ["src/hub/query/a.ts", "await this.#index.commit(cluster, place);"],
    ["src/main/hub/a.ts", "await fleet.fleetRows.applyStored(cluster, segments, place);"],
    ["src/hub/sessions/a.ts", "await fleetRows.load(cluster, segment);"],
  ])("refused in %s: %s", (path, text) => {
    expect(checkIndexWriters([toSourceFile(path, text)])).toHaveLength(1);
  });

  test.each([
    ["src/hub/ingest/a.ts", "await fleetRows.commit(cluster, place, applied);"],
    ["src/hub/sessions/a.ts", "await fleetRows.bucketDigests(cluster, resource);"],
    ["src/hub/query/a.ts", "await index.query(id, by, query);"],
    ["src/hub/query/a.test.ts", "await index.prepare(cluster, parts);"],
  ])("allowed in %s: %s", (path, text) => {
    expect(checkIndexWriters([toSourceFile(path, text)])).toEqual([]);
  });

  test("the calls that ingest and the rows make would be found anywhere else", () => {
    const found = ["src/hub/ingest/ingest.ts", "src/hub/rows/fleet-rows.ts"].map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return checkIndexWriters([toSourceFile("src/hub/query/moved.ts", text)]).length;
    });
    expect(found.map((count) => count > 3)).toEqual([true, true]);
  });
});
