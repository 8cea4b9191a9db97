// SPDX-License-Identifier: Apache-2.0
import { toBinary } from "@bufbuild/protobuf";
import { ChangesUpdateSchema, FleetUpdateSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { HubHop, Link } from "../link/link.ts";
import { HubClock } from "../time/hub-clock.ts";
import { createSampleChanges } from "./sample-changes.ts";
import { createSampleFleet, type SampleWish } from "./sample-fleet.ts";

/** A link to no hub: it shows a sample fleet, and what changed in it before somebody came, and stays as it is. */
export function createSampleLink(
  wish: Omit<SampleWish, "nowMs">,
  hop: HubHop = { kind: "open", sinceMs: 0, pageVersion: "" },
): Link {
  const clock = new HubClock(() => performance.now());
  const nowMs = 10_000_000;
  clock.note({ nowMs, wallMs: Date.now() });
  return {
    clock,
    getHop: () => hop,
    listenHop: () => () => undefined,
    retryNow: () => undefined,
    subscribe(view, sink) {
      if (view.case === "fleet") {
        const bytes = toBinary(FleetUpdateSchema, createSampleFleet({ ...wish, nowMs }));
        sink.update({ bytes, isSnapshot: true });
      }
      if (view.case === "changes") {
        const bytes = toBinary(ChangesUpdateSchema, createSampleChanges(60, Date.now()));
        sink.update({ bytes, isSnapshot: true });
      }
      return () => undefined;
    },
  };
}
