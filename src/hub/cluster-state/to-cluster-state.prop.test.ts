// SPDX-License-Identifier: Apache-2.0
import { equals, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ClusterStateSchema, GetClusterStateResponseSchema } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import type { ColumnValue } from "../../model/rows/row.ts";
import { chunksOf, joinBytes } from "./testing/join.ts";
import { metadata, preparedRows, rowOf } from "./testing/prepared-cluster.ts";
import type { ClusterRow } from "./to-cluster-state.ts";

const prepared = preparedRows();

/** Rows of all kinds, some with columns of another kind, long texts among them. */
const someRows = fc.array(
  fc.record({
    like: fc.constantFrom(...prepared),
    columnsOf: fc.constantFrom(...prepared),
    name: fc.string({ maxLength: 40 }),
    text: fc.string({ minLength: 0, maxLength: 900, size: "max" }),
  }),
  { maxLength: 30, size: "max" },
);

type RowDraft = Readonly<{ like: ClusterRow; columnsOf: ClusterRow; name: string; text: string }>;

function toRow({ like, columnsOf, name, text }: RowDraft): ClusterRow {
  const columns = new Map<string, ColumnValue>([...columnsOf.row.columns, ["addresses", [text, text]]]);
  return { resource: like.resource, row: { ...like.row, name, message: text, columns } };
}

test("[N-8] no chunk is larger than the limit, and together they are the same state whatever the limit", async () => {
  await fc.assert(
    fc.asyncProperty(someRows, fc.integer({ min: 4_000, max: 20_000 }), async (drafts, maxChunkBytes) => {
      const rows = drafts.map(toRow);
      const chunks = await chunksOf({ rows }, { maxChunkBytes });
      const [whole, ...more] = await chunksOf({ rows }, { maxChunkBytes: 100_000_000 });
      expect(more).toEqual([]);
      const sizes = chunks.map((chunk) => toBinary(GetClusterStateResponseSchema, chunk).byteLength);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(maxChunkBytes);
      expect(chunks.map(({ isLast }) => isLast)).toEqual(sizes.map((_, index) => index === sizes.length - 1));
      expect(equals(ClusterStateSchema, joinBytes(chunks), joinBytes(whole === undefined ? [] : [whole]))).toBe(true);
    }),
    // Shrinking lists of so long texts would take minutes.
    { numRuns: 20, endOnFailure: true },
  );
});

test("chunks are filled: two that follow each other would not fit into one", async () => {
  const rows = Array.from({ length: 300 }, (_, index) => rowOf(podKind, { metadata: metadata(`pod-${index}`) }));
  const chunks = await chunksOf({ rows }, { maxChunkBytes: 5_000 });
  const sizes = chunks.map((chunk) => toBinary(GetClusterStateResponseSchema, chunk).byteLength);
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.slice(0, -1).filter((size) => size < 4_000)).toEqual([]);
});
