// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { CoverageSchema } from "../../gen/flotilla/query/v1/query_pb.ts";
import { makeRow } from "../fleet/testing/test-rows.ts";
import type { LiveQueryUpdate } from "../rows/fleet-queries.ts";
import { toViewMessages } from "./view-messages.ts";

const found = {
  cluster: "a",
  resource: "pods",
  kind: "Pod",
  row: makeRow("a", "pods", { name: "web" }),
  troubledSinceMs: undefined,
};

const snapshot: LiveQueryUpdate = {
  isSnapshot: true,
  rows: [found],
  places: [0],
  left: [],
  total: 1,
  facets: [{ field: "kind", values: [{ value: "Pod", count: 1 }], otherCount: 0, noneCount: 0 }],
  position: "p1",
  clusters: ["a"],
  resources: undefined,
};

test("[QL14] a coverage that changed alone is a message without rows, with total, facets and position; its age alone is none", async () => {
  let nowMs = 0;
  let state = "live";
  async function* updates(): AsyncGenerator<LiveQueryUpdate | "unchanged"> {
    yield "unchanged";
    yield snapshot;
    for (state of ["live", "disconnected", "disconnected", "live"]) {
      nowMs += 4_000;
      yield "unchanged";
    }
  }
  const coverageOf = () =>
    create(CoverageSchema, {
      clusterCount: 1,
      isComplete: state === "live",
      clusters: state === "live" ? [] : [{ cluster: "a", state, asOfMsAgo: BigInt(nowMs) }],
    });
  const messages = await Array.fromAsync(toViewMessages(updates(), coverageOf));
  const alone = { isSnapshot: false, objects: [], places: [], left: [], total: 1n, position: "p1" };
  expect(messages).toMatchObject([
    { isSnapshot: true, objects: [{ cluster: "a" }], places: [0], coverage: { isComplete: true } },
    { ...alone, facets: [{ field: "kind" }], coverage: { isComplete: false } },
    { ...alone, coverage: { isComplete: true } },
  ]);
});
