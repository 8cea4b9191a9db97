// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { StringTable } from "../../model/row-batch/string-table.ts";
import { uuidBytes } from "../../model/rows/uuid.ts";
import type { ChangeKind, RowChange } from "./fleet-reader.ts";
import { ChangePacker, PackedChanges } from "./folded-changes.ts";
import type { KeyPlace } from "./row-segment.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.constantFrom("", "__proto__", "constructor", "a".repeat(70_000)),
);
const change: fc.Arbitrary<RowChange> = fc.record({
  kind: fc.constantFrom<ChangeKind>("added", "changed", "removed"),
  resource: fc.constantFrom("pods", "apps/deployments"),
  namespace: text,
  name: text,
  uid: fc.oneof(
    text,
    fc.uuid().filter((uid) => uid === uid.toLowerCase()),
  ),
});

/** The place of a change in a batch of its own, with the uid as 16 bytes where it can be. */
function placeOf({ namespace, name, uid }: RowChange): KeyPlace {
  const texts = [namespace, name, uid].map((each) => new TextEncoder().encode(each));
  const offsets = Uint32Array.of(0, 0, 0, 0, 0);
  for (const [at, bytes] of texts.entries()) offsets[at + 2] = (offsets[at + 1] ?? 0) + bytes.length;
  const strings = new StringTable(Uint8Array.from(texts.flatMap((bytes) => [...bytes])), offsets);
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uid);
  const bytes = isUuid ? Uint8Array.fromHex(uid.replaceAll("-", "")) : new Uint8Array(uuidBytes);
  const uids = isUuid ? ({ form: "uuid", bytes } as const) : ({ form: "text", ids: Uint32Array.of(3) } as const);
  return { strings, keys: { namespaceIds: Uint32Array.of(1), nameIds: Uint32Array.of(2), uids }, at: 0 };
}

test("[N-28] packed changes read back as they were, in order, as often as wanted, and no smaller than their texts", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const packers = changes.map((each) => {
        const packer = new ChangePacker(each.resource);
        packer.add(each.kind, placeOf(each));
        return packer.close();
      });
      const together = new ChangePacker("pods");
      for (const each of changes) together.add(each.kind, placeOf(each));
      const packed = new PackedChanges([...packers, together.close()]);
      const expected = [...changes, ...changes.map((each) => ({ ...each, resource: "pods" }))];
      expect(packed.length).toBe(expected.length);
      expect(packed.list()).toEqual(expected);
      expect(packed.list()).toEqual(expected);
      const textBytes = expected.reduce((sum, { namespace, name }) => sum + namespace.length + name.length, 0);
      expect(packed.sizeBytes).toBeGreaterThanOrEqual(textBytes);
      const counted = [...packed.counts()].reduce((sum, { count }) => sum + count, 0);
      expect(counted).toBe(expected.length);
      const added = [...packed.counts()].filter(({ kind }) => kind === "added");
      expect(added.reduce((sum, { count }) => sum + count, 0)).toBe(
        expected.filter(({ kind }) => kind === "added").length,
      );
    }),
    { numRuns: 100 },
  );
});
