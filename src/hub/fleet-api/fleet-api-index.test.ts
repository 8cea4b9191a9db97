// SPDX-License-Identifier: Apache-2.0
// The fleet API over the index itself: the queries that it creates are understood and answered there.

import { expect, test } from "vitest";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { silentLogger } from "../../base/log.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { MemoryFleetLog } from "../../store/testing/memory-fleet-log.ts";
import { hasher, plainCodec } from "../fleet/testing/test-fleet.ts";
import { encodeRows, makeRow, type TestObject } from "../fleet/testing/test-rows.ts";
import { createInThreadIndex } from "../index/testing/in-thread-index.ts";
import { ChangeFeed } from "../rows/change-feed.ts";
import { FleetRows } from "../rows/fleet-rows.ts";
import { IndexFleetReader } from "../rows/index-fleet-reader.ts";
import { askTable, keysOf, type OpenRoute, openRoute } from "./testing/ask-route.ts";
import { SmallFleet } from "./testing/small-fleet.ts";
import { Watching } from "./testing/watching.ts";

const asAdmin = { user: "root", groups: ["system:masters"] };

async function openIndex(): Promise<{
  readonly open: OpenRoute;
  readonly fold: (cluster: string, objects: readonly TestObject[]) => Promise<void>;
}> {
  const index = createInThreadIndex({ codec: plainCodec, hasher, pause: () => Promise.resolve() });
  const rows = new FleetRows(index, silentLogger);
  const feed = new ChangeFeed("feed_index");
  let seq = 0;
  const fold = async (cluster: string, objects: readonly TestObject[]): Promise<void> => {
    seq += 1;
    const made = objects.map((object) => makeRow(cluster, "pods", object));
    const bytes = await plainCodec.compress(encodeRows("pods", made));
    await rows.prepare(cluster, [{ resource: "pods", replacedBucket: 0, bytes }]);
    const place = { position: seq, receivedAtMs: seq };
    feed.push(cluster, seq, await rows.commit(cluster, place, { incarnation: "inc", seq }));
    rows.setRbacComplete(cluster, true);
    await index.setFields(cluster, { cluster, region: "", environment: "" });
  };
  const reader = new IndexFleetReader({
    clock: new ManualClock(),
    index,
    fleetLog: createInThreadPort(new MemoryFleetLog({ clock: new ManualClock() })),
    rows,
    feed,
    clusterIds: () => rows.clusters(),
    authorizer: { isAllowed: () => true },
    log: silentLogger,
  });
  return { open: openRoute(new SmallFleet(), { reader }), fold };
}

test("[FA3, FA7, FA8, FA9, FA11] lists, selectors, pages and watches are answered by the index", async () => {
  const { open, fold } = await openIndex();
  await fold("east", [{ name: "a" }, { name: "b", phase: "Pending" }]);
  await fold("west", [{ name: "a", status: "unhealthy" }]);
  const list = async (query: string): Promise<readonly string[]> =>
    keysOf(await askTable(open, `/api/v1/pods?${query}`, asAdmin));
  expect(await list("")).toEqual(["east/a", "east/b", "west/a"]);
  expect(await list("labelSelector=app+notin+(b),app,!none,flotilla.dev/status")).toEqual(["east/a", "west/a"]);
  expect(await list("labelSelector=flotilla.dev/cluster%3Dwest")).toEqual(["west/a"]);
  expect(await list("labelSelector=!flotilla.dev/region")).toEqual(["east/a", "east/b", "west/a"]);
  expect(await list("fieldSelector=status.phase!%3DRunning,spec.nodeName%3D")).toEqual(["east/b"]);
  expect(await list("fieldSelector=metadata.name%3Da@east")).toEqual(["east/a"]);
  const first = await askTable(open, "/api/v1/pods?limit=2", asAdmin);
  expect(first.metadata["remainingItemCount"]).toBe(1);
  expect(await list(`limit=2&continue=${first.metadata.continue ?? ""}`)).toEqual(["west/a"]);
  const { metadata } = await askTable(open, "/api/v1/pods?labelSelector=app%3Da", asAdmin);
  const url = `/api/v1/pods?watch=1&labelSelector=app%3Da&resourceVersion=${metadata.resourceVersion}`;
  await using watching = await new Watching().open(open, url, asAdmin);
  await fold("west", [{ name: "a", phase: "Failed" }, { name: "c" }]);
  expect(await watching.takeKeys()).toEqual(["MODIFIED west/a"]);
});
