// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { checkRowAccess } from "./row-access.ts";
import { toSourceFile } from "./source-tree.ts";

describe("rows are read through FleetReader", () => {
  test.each([
    ["src/hub/page/a.ts", 'import type { FleetRows } from "../rows/fleet-rows.ts";'],
    ["src/hub/health/a.ts", 'import { MemoryFleetRows } from "../rows/memory-fleet-rows.ts";'],
    ["src/hub/page/a.ts", 'import type { ChangeFeed } from "../rows/change-feed.ts";'],
    ["src/hub/tunnels/a.ts", "const count = hub.fleet.fleetRows.rowCount(id);"],
    ["src/main/a.ts", "const { fleetRows } = hub.fleet;"],
    ["src/hub/page/a.ts", "for (const flush of fleet.feed.readBack(1)) show(flush);"],
  ])("refused in %s: %s", (path, text) => {
    expect(checkRowAccess([toSourceFile(path, text)])).toHaveLength(1);
  });

  test.each([
    ["src/hub/page/a.ts", 'import type { FleetReader } from "../rows/fleet-reader.ts";'],
    ["src/hub/ingest/a.ts", 'import type { FleetRows } from "../rows/fleet-rows.ts";'],
    ["src/hub/sessions/a.ts", "const digest = this.fleetRows.kindDigest(id, pods);"],
    ["src/hub/page/a.test.ts", "rig.hub.fleet.fleetRows.setRbacComplete(id, true);"],
    ["src/hub/page/a.ts", "const feed = reader.changes(subject); use(feed);"],
    ["src/hub/page/a.ts", "health.feed(cluster, input);"],
  ])("allowed in %s: %s", (path, text) => {
    expect(checkRowAccess([toSourceFile(path, text)])).toEqual([]);
  });
});
