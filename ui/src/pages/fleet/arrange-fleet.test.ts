// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type FleetCluster, FleetClusterSchema } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { arrangeFleet, type FleetLook } from "./arrange-fleet.ts";

type Start = Omit<MessageInitShape<typeof FleetClusterSchema>, "$typeName" | "$unknown">;

function cluster(id: string, state: string, rest: Start = {}): FleetCluster {
  return create(FleetClusterSchema, { connection: { state }, ...rest, id });
}

const look: FleetLook = { filter: "", group: "", sort: "worst", isDescending: false };

function idsOf(clusters: readonly FleetCluster[], some: Partial<FleetLook> = {}): string[][] {
  return arrangeFleet(clusters, { ...look, ...some }).map((group) => group.clusters.map(({ id }) => id));
}

const fleet = [
  cluster("b", "live", { region: "eu-10", labels: { team: "Blue" } }),
  cluster("a", "live", { region: "eu-9", objects: { unhealthy: [{ count: 2 }] } }),
  cluster("c", "disconnected", { region: "eu-10" }),
  cluster("d", "stale"),
  cluster("e", "somethingNew", { region: "eu-9" }),
];

test("the worst comes first, then what has unhealthy objects, then by name; a word that is not known is trouble", () => {
  expect(idsOf(fleet)).toEqual([["c", "d", "e", "a", "b"]]);
});

test("groups with trouble come first, numbers in names count as numbers, and clusters without a value come last", () => {
  expect(idsOf(fleet, { group: "region" })).toEqual([["c", "b"], ["d"], ["e", "a"]]);
  expect(
    idsOf(
      fleet.filter(({ id }) => id === "a" || id === "b"),
      { group: "region" },
    ),
  ).toEqual([["a"], ["b"]]);
  const [, none] = arrangeFleet([cluster("x", "live"), cluster("y", "live", { region: "r" })], {
    ...look,
    group: "region",
  });
  expect(none).toMatchObject({ name: "", counts: { live: 1, disconnected: 0 } });
});

test.each([
  ["state:disconnected", ["c"]],
  ["region:eu -state:live", ["c", "e"]],
  ["state:not-known", ["e"]],
  ["region:eu-1", ["c", "b"]],
  ["blue", ["b"]],
  ["label:team:bl", ["b"]],
  ["-", ["c", "d", "e", "a", "b"]],
  ["region:", ["c", "d", "e", "a", "b"]],
  ["nobody", []],
])("%s finds %j", (filter, ids) => {
  expect(idsOf(fleet, { filter }).flat()).toEqual(ids);
});

test("any column sorts, both ways, and equal ones stay in order of their names", () => {
  expect(idsOf(fleet, { sort: "name", isDescending: true })).toEqual([["e", "d", "c", "b", "a"]]);
  expect(idsOf(fleet, { sort: "region" })).toEqual([["a", "e", "b", "c", "d"]]);
  const lagging = [cluster("p", "live", { connection: { lagSeconds: 3 } }), cluster("q", "live")];
  expect(idsOf(lagging, { sort: "lag", isDescending: true })).toEqual([["p", "q"]]);
});
