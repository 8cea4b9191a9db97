// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { TokenSchema } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { ClusterSchema } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { toPlainJson } from "./plain-json.ts";

test("[CL10] counts and durations are numbers at every depth, times stay texts, revisions stay texts", () => {
  const cluster = create(ClusterSchema, {
    rowCount: 12n,
    revision: 7n,
    labels: { "5": "6" },
    connection: { sinceMsAgo: 5n },
    kinds: [{ resource: "pods", rowCount: 3n }],
  });
  expect(toPlainJson(ClusterSchema, cluster)).toMatchObject({
    rowCount: 12,
    revision: "7",
    labels: { "5": "6" },
    connection: { sinceMsAgo: 5 },
    kinds: [{ rowCount: 3 }],
  });
  const token = create(TokenSchema, { createdAt: timestampFromMs(0), revision: 1n });
  expect(toPlainJson(TokenSchema, token)).toMatchObject({ createdAt: "1970-01-01T00:00:00Z", revision: "1" });
});

test("[CL10] a number that a JSON reader would round stays text", () => {
  const cluster = create(ClusterSchema, { rowCount: 2n ** 53n });
  expect(toPlainJson(ClusterSchema, cluster)["rowCount"]).toBe("9007199254740992");
});
