// SPDX-License-Identifier: Apache-2.0
// The bytes of a first sync, recorded: a change of how rows are kept or encoded must not change what is hashed and what
// travels.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createFleetRows } from "../../../bench/support/fleet-rows.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { Codec } from "../../model/rows/codec.ts";
import { Outbox } from "../../session/agent/outbox.ts";
import { planFlush } from "../../session/agent/plan-flush.ts";
import { RowTable } from "../../session/agent/row-table.ts";
import { invertingPacker } from "../../session/agent/testing/inverting-packer.ts";
import { hasher } from "../../session/agent/testing/sample-rows.ts";
import { buildFlush, encodeFlush, encodeFlushRequest, envelopeBytes } from "./build-flush.ts";
import { encodeRequest, framedBytes, toFrames } from "./make-request.ts";

/** Apps of the fleet: 1,000 rows of three kinds, with owners, lists, and labels that repeat. */
const appCount = 150;

/** xxHash64 of each kind's batch, as the first version of the layout gave it (CO36, CO41). */
const recorded = new Map([
  ["pods", "313054844a396b5c"],
  ["apps/deployments", "15752c8a1ddfd9d9"],
  ["services", "e44c1dd89a5eec8f"],
]);

const uncompressed: Codec = { compress: async (bytes) => bytes, decompress: async (bytes) => bytes };

test("[CO36] [CO41] rows that went through the agent's table travel as the bytes that version 1 gave them", async () => {
  const fleet = createFleetRows(hasher, appCount);
  // The cluster that the rows of the fleet are sealed for.
  const table = new RowTable({ clusterId: parseClusterId("prod-east"), hasher, packer: invertingPacker });
  const outbox = new Outbox(table, () => 0);
  for (const { resource, kind: name, columns, rows } of fleet) {
    const kind = table.openKind({ resource, kind: name, columns });
    kind.beginList();
    // Not in key order, as objects that changed since the list are.
    for (const row of rows.toReversed()) kind.upsert(row);
    kind.endList();
    outbox.requestAll(kind);
  }
  const plan = planFlush(table, outbox, Number.MAX_SAFE_INTEGER, 0);
  expect(plan).toBeDefined();
  if (plan === undefined) return;
  const sent = new Map<string, string>();
  for (const { resource = "", batch = new Uint8Array() } of await buildFlush(plan, uncompressed, hasher))
    sent.set(resource, hasher.hash64(batch).toString(16));
  expect(sent).toEqual(recorded);
});

test("[SE13] [SE20] a flush that was encoded before its number was known has the bytes of the whole message, and never more than were counted", () => {
  const drawn = fc.record({
    parts: fc.array(
      fc.record({ resource: fc.string(), replacedBucket: fc.nat(2_047), batch: fc.uint8Array({ maxLength: 300 }) }),
      { maxLength: 5 },
    ),
    seq: fc.oneof(fc.nat(300), fc.maxSafeNat()),
    ago: fc.oneof(fc.nat(300), fc.double({ min: -10, max: 2 ** 33, noNaN: true })),
    maxMessageBytes: fc.integer({ min: 40, max: 2_000 }),
  });
  fc.assert(
    fc.property(drawn, ({ parts, seq, ago, maxMessageBytes }) => {
      const flush = encodeFlush(parts);
      const message = encodeFlushRequest(flush, seq, ago);
      expect(message).toEqual(encodeRequest({ case: "flush", value: { parts } }, seq, ago));
      const limits = { maxMessageBytes, maxJoinedBytes: Number.MAX_SAFE_INTEGER };
      const sentBytes = toFrames(message, seq, limits).reduce((sum, frame) => sum + frame.length, 0);
      expect(sentBytes).toBeLessThanOrEqual(framedBytes(flush.length + envelopeBytes, limits));
    }),
  );
});
