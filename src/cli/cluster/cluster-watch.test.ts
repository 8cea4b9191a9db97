// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { fakeCluster, fakeFleetCall } from "../testing/fake-fleet.ts";
import { watchClusters } from "./cluster-watch.ts";

const lostConnection = { state: "disconnected", message: "the agent went away without a word", seenMsAgo: 96_000n };

test("a watch shows each change once, and nothing for a message that only makes ages older", async () => {
  const { call, stop, stdout } = fakeFleetCall({
    clusters: {
      async *watchClusters() {
        yield { cluster: fakeCluster() };
        yield { cluster: fakeCluster({ connection: { state: "live", sinceMsAgo: 310_000n, seenMsAgo: 1_400n } }) };
        yield { cluster: fakeCluster({ connection: lostConnection }) };
        yield { removedId: "east" };
        stop.abort(new Error("SIGINT"));
      },
    },
  });
  await watchClusters(call, "");
  const lost = "east  disconnected  the agent went away without a word (seen 96s ago)";
  expect(stdout()).toBe(["east  live", lost, "east  removed", ""].join("\n"));
});

test("[CL2] over a restart of the hub a watch shows what differs, with the clusters that were removed meanwhile", async () => {
  let attemptCount = 0;
  const { call, stop, stdout, stderr } = fakeFleetCall({
    clusters: {
      async *watchClusters() {
        attemptCount += 1;
        yield { cluster: fakeCluster() };
        if (attemptCount === 1) yield { cluster: fakeCluster({ id: "west" }) };
        yield { isPresentComplete: true };
        if (attemptCount === 2) stop.abort(new Error("SIGINT"));
      },
    },
  });
  await watchClusters(call, "");
  expect(stdout()).toBe(["east  live", "west  live", "west  removed", ""].join("\n"));
  expect(stderr().split("\n")).toEqual([
    "flotilla: the hub was lost (the hub ended the watch); retrying until it answers, Ctrl-C stops",
    "flotilla: the hub answers again; the watch continues",
    "",
  ]);
});
