// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  ClusterStateSchema,
  type GetClusterStateResponse,
  GetClusterStateResponseSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { joinClusterState } from "./join-cluster-state.ts";

async function* parts(
  ...chunks: readonly MessageInitShape<typeof GetClusterStateResponseSchema>[]
): AsyncGenerator<GetClusterStateResponse> {
  for (const chunk of chunks) yield create(GetClusterStateResponseSchema, chunk);
}

/** Every list of objects by its name in the message. */
const listNames = ClusterStateSchema.fields.flatMap((field) =>
  field.fieldKind === "list" && !["coverage", "readings"].includes(field.name) ? [field.localName] : [],
);

test.each(listNames)("[N-8] the parts of %s become one list in the order of keys", async (list) => {
  const joined = await joinClusterState(
    parts(
      { state: { clusterId: "east", [list]: [{ namespace: "b", name: "x" }] } },
      { state: { [list]: [{ namespace: "b", name: "a" }] } },
      { state: { [list]: [{ namespace: "", name: "z" }] }, isLast: true },
    ),
  );
  expect(joined.clusterId).toBe("east");
  expect(joined).toMatchObject({ [list]: [{ name: "z" }, { name: "a" }, { name: "x" }] });
});

test("the head of the first part stays, coverage and readings come together", async () => {
  const joined = await joinClusterState(
    parts(
      {
        state: { clusterId: "east", connection: { state: "stale" }, collectedMsAgo: 7n, coverage: [{ resource: "a" }] },
      },
      { state: { coverage: [{ resource: "b" }], readings: [{ resource: "a" }] } },
      { isLast: true },
    ),
  );
  expect(joined).toMatchObject({
    clusterId: "east",
    connection: { state: "stale" },
    collectedMsAgo: 7n,
    coverage: [{ resource: "a" }, { resource: "b" }],
    readings: [{ resource: "a" }],
  });
});

test("[L4] parts without a last one are no state", async () => {
  await expect(joinClusterState(parts({ state: { clusterId: "east" } }))).rejects.toMatchObject({
    code: "UNAVAILABLE",
  });
  await expect(joinClusterState(parts())).rejects.toMatchObject({ code: "UNAVAILABLE" });
});
