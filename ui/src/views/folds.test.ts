// SPDX-License-Identifier: Apache-2.0
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  ClusterPart,
  ClusterUpdateSchema,
  type FleetCluster,
  type FleetClusterSchema,
  FleetUpdateSchema,
} from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { clusterFold } from "./cluster-fold.ts";
import { fleetFold } from "./fleet-fold.ts";

function encode<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Uint8Array {
  return toBinary(schema, create(schema, message));
}

test("a fleet takes in what changed, lets go of what was removed, and keeps the rest as it is", () => {
  const first = fleetFold.fold(
    fleetFold.empty,
    encode(FleetUpdateSchema, {
      clusters: [{ id: "a", connection: { incident: 1 } }, { id: "b" }],
      incidents: { incidents: [{ number: 1 }] },
    }),
  );
  const second = fleetFold.fold(
    first,
    encode(FleetUpdateSchema, { clusters: [{ id: "c", region: "eu" }], removedIds: ["b"] }),
  );
  expect([...second.clusters.keys()]).toEqual(["a", "c"]);
  expect(second.clusters.get("a")).toBe(first.clusters.get("a"));
  expect(second.incidents).toEqual(first.incidents);
  expect([...first.clusters.keys()]).toEqual(["a", "b"]);
  const third = fleetFold.fold(second, encode(FleetUpdateSchema, { incidents: { incidents: [] } }));
  expect(third.incidents).toEqual([]);
});

test("[PG11] of a cluster that changed the parts that came are taken in, and the others stay", () => {
  const { CONNECTION, STRIP, OBJECTS } = ClusterPart;
  const whole = {
    id: "a",
    region: "eu",
    connection: { state: "live", lagSeconds: 2 },
    followedKindCount: 9,
    strip: Uint8Array.of(1, 2),
    objects: { rowCount: 5n },
  };
  let fleetRows = fleetFold.fold(fleetFold.empty, encode(FleetUpdateSchema, { clusters: [whole] }));
  const take = (cluster: MessageInitShape<typeof FleetClusterSchema>): FleetCluster | undefined => {
    fleetRows = fleetFold.fold(fleetRows, encode(FleetUpdateSchema, { clusters: [{ id: "a", ...cluster }] }));
    return fleetRows.clusters.get("a");
  };
  const connection = { state: "stale" };
  expect(take({ parts: [CONNECTION], connection, caughtUpKindCount: 3 })).toMatchObject({
    ...whole,
    connection: { state: "stale", lagSeconds: 0 },
    caughtUpKindCount: 3,
    followedKindCount: 0,
  });
  expect(take({ parts: [STRIP, OBJECTS], strip: Uint8Array.of(3), objects: { rowCount: 6n } })).toMatchObject({
    region: "eu",
    connection,
    strip: Uint8Array.of(3),
    objects: { rowCount: 6n },
  });
  expect(take({ parts: [OBJECTS] })?.objects).toBeUndefined();
  expect(take({ connection })).toMatchObject({ region: "", strip: new Uint8Array() });
});

test("[PG19] the members of an incident follow the clusters as they are lost and return", () => {
  const incidents = { incidents: [{ number: 1 }, { number: 2, endedMs: 9n }] };
  const first = fleetFold.fold(
    fleetFold.empty,
    encode(FleetUpdateSchema, {
      clusters: [
        { id: "a", connection: { incident: 1 } },
        { id: "b", connection: { incident: 1 }, returns: [{ incident: 2, caughtUpBy: "relisted" }] },
      ],
      incidents,
    }),
  );
  expect(first.incidents).toMatchObject([
    { number: 1, outIds: ["a", "b"], returnedIds: [] },
    { number: 2, outIds: [], returnedIds: ["b"], caughtUpBy: ["relisted"], endedMs: 9n },
  ]);
  const back = { id: "a", connection: {}, returns: [{ incident: 1, caughtUpBy: "resumed" }] };
  const parts = [ClusterPart.CONNECTION];
  const second = fleetFold.fold(
    first,
    encode(FleetUpdateSchema, { clusters: [{ ...back, parts }], removedIds: ["b"] }),
  );
  expect(second.incidents).toMatchObject([{ number: 1, outIds: [], returnedIds: ["a"], caughtUpBy: ["resumed"] }]);
});

test("parts of a cluster that an update leaves out stay", () => {
  const first = clusterFold.fold(
    clusterFold.empty,
    encode(ClusterUpdateSchema, { cluster: { id: "a" }, unhealthy: { totalCount: 3 } }),
  );
  const second = clusterFold.fold(first, encode(ClusterUpdateSchema, { unhealthy: { totalCount: 1 } }));
  expect(second.cluster).toBe(first.cluster);
  expect(second.unhealthy?.totalCount).toBe(1);
  expect(second.kinds).toBeUndefined();
});
