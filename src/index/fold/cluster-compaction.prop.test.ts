// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClusterId } from "../../model/cluster-id.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import { anyColumns, anyContent, keyTextOf } from "../../model/row-batch/testing/any-row.ts";
import { bucketCode } from "../../model/rows/bucket.ts";
import type { Row, RowContent } from "../../model/rows/row.ts";
import { RowSealer } from "../../model/rows/row-sealer.ts";
import { FleetTables } from "./fleet-tables.ts";
import type { FoldPart } from "./fold-part.ts";
import { foldHasher } from "./testing/fold-rows.ts";

const resources = [
  { group: "apps", resource: "deployments" },
  { group: "", resource: "pods" },
] as const;
const contents = fc.uniqueArray(anyContent, { selector: keyTextOf, maxLength: 10 });

/** A part that replaces all rows of a resource. */
function replaceAll(at: 0 | 1, given: readonly RowContent[]): FoldPart {
  const resource = resources[at];
  const sealer = new RowSealer(parseClusterId("c1"), resource, foldHasher);
  const rows = given.map((each) => sealer.seal(each));
  const bytes = encodeRowBatch({ resource, kind: "Kind", columns: anyColumns, rows, deletes: [] }, foldHasher);
  const name = resource.group === "" ? resource.resource : `${resource.group}/${resource.resource}`;
  return {
    resource: name,
    form: { kind: "replace", bucket: bucketCode(1, 0) },
    batch: decodeRowBatch(bytes, foldHasher),
  };
}

function rowsOf(tables: FleetTables): readonly (readonly Row[])[] {
  return ["apps/deployments", "pods"].map((resource) => [...(tables.snapshot("c1", resource)?.rows() ?? [])]);
}

test("[L14] a compacted cluster has the same rows, which change as before, and snapshots stay as they were", () => {
  fc.assert(
    fc.property(contents, contents, contents, contents, (first, second, third, fourth) => {
      const tables = new FleetTables();
      const plain = new FleetTables();
      const load = (part: FoldPart): void => {
        for (const each of [tables, plain]) each.load("c1", part, { position: 1, receivedAtMs: 1 });
      };
      load(replaceAll(0, first));
      load(replaceAll(1, second));
      load(replaceAll(0, third));
      const snapshot = tables.snapshot("c1", "apps/deployments");
      const before = rowsOf(tables);
      const { bytes } = tables.size("c1");
      const compaction = tables.prepareCompaction("c1");
      for (const _ of compaction?.steps() ?? []) expect(rowsOf(tables)).toEqual(before);
      if (compaction?.commit() === true) expect(tables.size("c1").bytes).toBeLessThan(bytes);
      expect(rowsOf(tables)).toEqual(before);
      load(replaceAll(1, fourth));
      expect(rowsOf(tables)).toEqual(rowsOf(plain));
      for (const resource of ["apps/deployments", "pods"])
        expect(tables.kindDigest("c1", resource)).toEqual(plain.kindDigest("c1", resource));
      expect([...(snapshot?.rows() ?? [])]).toEqual(before[0]);
    }),
    { numRuns: 40 },
  );
});

test("[L2] a fold while a cluster is compacted is kept, and the compaction is dropped", () => {
  const tables = new FleetTables();
  const contentOf = (name: string): RowContent => ({ ...fc.sample(anyContent, { seed: 3, numRuns: 1 })[0]!, name });
  tables.load("c1", replaceAll(0, ["a", "b", "c"].map(contentOf)), { position: 1, receivedAtMs: 1 });
  tables.load("c1", replaceAll(0, []), { position: 2, receivedAtMs: 2 });
  const compaction = tables.prepareCompaction("c1");
  const steps = compaction?.steps()[Symbol.iterator]();
  steps?.next();
  tables.load("c1", replaceAll(0, [contentOf("d")]), { position: 3, receivedAtMs: 3 });
  for (let step = steps?.next(); step?.done === false; step = steps?.next());
  expect(compaction?.commit()).toBe(false);
  expect(rowsOf(tables)[0]?.map(({ name }) => name)).toEqual(["d"]);
});
