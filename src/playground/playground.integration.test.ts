// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTempFolder } from "../../test/support/temp-folder.ts";
import { createSeededRandom } from "../base/random.ts";
import { Playground } from "./playground.ts";

// That the thread of the other has ended is seen by the check of open handles, which runs around every file.
test("where one cluster cannot start, the one that was starting beside it has come up and is closed before the failure is told", async () => {
  using folder = openTempFolder();
  mkdirSync(join(folder.path, "us-east-1"));
  writeFileSync(join(folder.path, "us-east-1", "cluster.db"), "no database");
  const opening = Playground.open({ folder: folder.path, clusterCount: 2, random: createSeededRandom("two") });
  await expect(opening).rejects.toThrow(/cluster\.db is not a database/);
  expect(readdirSync(join(folder.path, "eu-west-1"))).toContain("port");
});

test("[CL18] started clusters are counted, and a stop leaves out those that have not begun", async () => {
  using folder = openTempFolder();
  const stop = new AbortController();
  const counts: number[] = [];
  const onStarted = (startedCount: number): void => {
    counts.push(startedCount);
    stop.abort(new Error("enough"));
  };
  const random = createSeededRandom("six");
  const playground = await Playground.open({
    folder: folder.path,
    clusterCount: 6,
    random,
    onStarted,
    signal: stop.signal,
  });
  expect(counts).toEqual([1, 2]);
  expect(playground.list()).toHaveLength(2);
  await playground.close();
});
