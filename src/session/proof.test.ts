// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { nonceBytes, proofBytes } from "./proof.ts";

const text = fc.string({ maxLength: 6 });
const session = fc.record({ clusterId: text, shard: text, agentId: text, incarnation: text });
const nonce = fc.uint8Array({ minLength: nonceBytes, maxLength: nonceBytes });

test("[SE6] two proofs are over the same bytes only if hub, session and nonce are the same", () => {
  fc.assert(
    fc.property(session, text, nonce, session, text, nonce, (a, hubA, nonceA, b, hubB, nonceB) => {
      const isSame = JSON.stringify([a, hubA, [...nonceA]]) === JSON.stringify([b, hubB, [...nonceB]]);
      const [left, right] = [proofBytes(a, hubA, nonceA), proofBytes(b, hubB, nonceB)];
      expect(Buffer.compare(left, right) === 0).toBe(isSame);
    }),
  );
});

test("[SE6] parts cannot slide into each other", () => {
  const some = { clusterId: "ab", shard: "", agentId: "c", incarnation: "d" };
  const slid = { clusterId: "a", shard: "b", agentId: "c", incarnation: "d" };
  const zero = new Uint8Array(nonceBytes);
  expect(proofBytes(some, "hub", zero)).not.toEqual(proofBytes(slid, "hub", zero));
});
