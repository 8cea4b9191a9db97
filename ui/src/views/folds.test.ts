// SPDX-License-Identifier: Apache-2.0
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  ChangesUpdateSchema,
  ClusterUpdateSchema,
  FleetUpdateSchema,
} from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { changesFold } from "./changes-fold.ts";
import { clusterFold } from "./cluster-fold.ts";
import { fleetFold } from "./fleet-fold.ts";

function encode<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Uint8Array {
  return toBinary(schema, create(schema, message));
}

test("a fleet takes in what changed, lets go of what was removed, and keeps the rest as it is", () => {
  const first = fleetFold.fold(
    fleetFold.empty,
    encode(FleetUpdateSchema, { clusters: [{ id: "a" }, { id: "b" }], incidents: { incidents: [{ number: 1 }] } }),
  );
  const second = fleetFold.fold(
    first,
    encode(FleetUpdateSchema, { clusters: [{ id: "c", region: "eu" }], removedIds: ["b"] }),
  );
  expect([...second.clusters.keys()]).toEqual(["a", "c"]);
  expect(second.clusters.get("a")).toBe(first.clusters.get("a"));
  expect(second.incidents).toBe(first.incidents);
  expect([...first.clusters.keys()]).toEqual(["a", "b"]);
  const third = fleetFold.fold(second, encode(FleetUpdateSchema, { incidents: { incidents: [] } }));
  expect(third.incidents).toEqual([]);
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

test("the feed numbers its lines, says where some were left out, and keeps a bounded number", () => {
  const changes = Array.from({ length: 1_500 }, (_, index) => ({ name: `pod-${index}` }));
  const first = changesFold.fold(changesFold.empty, encode(ChangesUpdateSchema, { changes }));
  const second = changesFold.fold(first, encode(ChangesUpdateSchema, { changes, leftOutCount: 70 }));
  expect(second.lines).toHaveLength(2_000);
  expect(second.lines[498]).toMatchObject({ kind: "change", number: 1_500 });
  expect(second.lines[499]).toEqual({ kind: "leftOut", number: 1_501, count: 70 });
  expect(second.lines.at(-1)).toMatchObject({ number: 3_001, change: { name: "pod-1499" } });
  expect(second.lastNumber).toBe(3_001);
});
