// SPDX-License-Identifier: Apache-2.0
import { toBinary } from "@bufbuild/protobuf";
import {
  ChangesUpdateSchema,
  ClusterUpdateSchema,
  FleetUpdateSchema,
} from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { HubHop, Link } from "../link/link.ts";
import { HubClock } from "../time/hub-clock.ts";
import { createSampleChanges } from "./sample-changes.ts";
import { createSampleCluster } from "./sample-cluster.ts";
import { createSampleFleet, type SampleWish } from "./sample-fleet.ts";

/** A link without a hub: serves a static sample fleet, unhealthy objects of its clusters, and recent changes. */
export function createSampleLink(
  wish: Omit<SampleWish, "nowMs">,
  hop: HubHop = { kind: "open", sinceMs: 0, pageVersion: "" },
): Link {
  const clock = new HubClock(() => performance.now());
  const nowMs = 10_000_000;
  clock.note({ nowMs, wallMs: Date.now() });
  const fleet = createSampleFleet({ ...wish, nowMs });
  return {
    clock,
    getHop: () => hop,
    listenHop: () => () => undefined,
    retryNow: () => undefined,
    subscribe(view, sink) {
      if (view.case === "fleet") {
        sink.update({ bytes: toBinary(FleetUpdateSchema, fleet), isSnapshot: true });
      }
      if (view.case === "cluster") {
        const update = createSampleCluster(fleet, view.value.clusterId ?? "", Date.now());
        if (update !== undefined) sink.update({ bytes: toBinary(ClusterUpdateSchema, update), isSnapshot: true });
      }
      if (view.case === "changes") {
        const bytes = toBinary(ChangesUpdateSchema, createSampleChanges(60, Date.now()));
        sink.update({ bytes, isSnapshot: true });
      }
      return () => undefined;
    },
  };
}
