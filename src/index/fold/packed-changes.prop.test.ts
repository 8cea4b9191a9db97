// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../../model/rows/row.ts";
import { statusRank } from "../../model/status.ts";
import { ClusterTexts } from "../table/cluster-texts.ts";
import { KindTable } from "../table/kind-table.ts";
import { ChangePacker } from "./change-packer.ts";
import { type FoldedChange, PackedChanges } from "./packed-changes.ts";
import { podBatch, podRow, uidOf } from "./testing/fold-rows.ts";

const object = fc.record({
  namespace: fc.constantFrom("", "default", "a"),
  name: fc.constantFrom("a", "é", "__proto__", "a".repeat(253)),
  uid: fc.oneof(fc.constantFrom("", "other"), fc.nat({ max: 9 }).map(uidOf)),
  status: fc.constantFrom("unhealthy" as const, "healthy" as const),
});
const objects = fc.uniqueArray(object, { selector: ({ namespace, name }) => `${namespace}/${name}`, maxLength: 8 });

function changeOf(
  kind: FoldedChange["kind"],
  { namespace, name, uid, status }: Row,
  oldStatus?: Row["status"],
): FoldedChange {
  return {
    kind,
    resource: "pods",
    namespace,
    name,
    uid,
    oldStatus: kind === "added" ? undefined : (oldStatus ?? status),
    status: kind === "removed" ? undefined : status,
  };
}

test("[N-28] packed changes read back as they were, in order, as often as wanted, and no smaller than their texts", () => {
  fc.assert(
    fc.property(objects, (given) => {
      const batch = podBatch(given.map(podRow));
      const rows = [...batch.rows()];
      const table = new KindTable(new ClusterTexts());
      const packer = new ChangePacker("pods");
      table.apply({ form: { kind: "delta" }, batch }, packer);
      for (const at of rows.keys()) packer.changed(batch.parts, at, statusRank("degraded"));
      const removing = new ChangePacker("pods");
      const deletes = rows.map(({ namespace, name, uid }) => ({ namespace, name, uid }));
      table.apply({ form: { kind: "delta" }, batch: podBatch([], deletes) }, removing);
      const packed = new PackedChanges([packer.close(), new ChangePacker("nodes").close(), removing.close()]);
      const expected = [
        ...rows.map((row) => changeOf("added", row)),
        ...rows.map((row) => changeOf("changed", row, "degraded")),
        ...rows.map((row) => changeOf("removed", row)),
      ];
      expect(packed.list()).toEqual(expected);
      expect(packed.list()).toEqual(expected);
      expect(packed.length).toBe(expected.length);
      expect(packed.sections).toHaveLength(rows.length === 0 ? 0 : 2);
      const textBytes = expected.reduce((sum, { namespace, name }) => sum + namespace.length + name.length, 0);
      expect(packed.sizeBytes).toBeGreaterThanOrEqual(textBytes);
      const counted = new Map([...packed.counts()].map(({ kind, count }) => [kind, count] as const));
      for (const kind of ["added", "changed", "removed"] as const) expect(counted.get(kind) ?? 0).toBe(rows.length);
    }),
    { numRuns: 60 },
  );
});
