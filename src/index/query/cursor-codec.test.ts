// SPDX-License-Identifier: Apache-2.0
import { createHmac } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CursorBinding, createCursorCodec, type MacFunction, type QueryCursor } from "./cursor-codec.ts";

const hmac: MacFunction = (key, message) => createHmac("sha256", key).update(message).digest();
const codec = createCursorCodec(new Uint8Array(32).fill(7), hmac);
const text = fc.string({ unit: "binary", maxLength: 80 }).map((each) => each.toWellFormed());
const cursor: fc.Arbitrary<QueryCursor> = fc.record({
  position: fc.record({
    values: fc.array(fc.oneof(text, fc.double({ noNaN: true }), fc.constant(undefined)), { maxLength: 4 }),
    key: fc.record({ cluster: text, resource: text, namespace: text, name: text }),
  }),
  atMs: fc.option(fc.nat(), { nil: undefined }),
});
const binding: fc.Arbitrary<CursorBinding> = fc.record({ user: text, query: text, sort: text });
const refusal = expect.objectContaining({
  code: "INVALID_ARGUMENT",
  message: "the cursor is not one of this query; ask for the first page without a cursor",
});

const sample: QueryCursor = {
  position: { values: [5, "b"], key: { cluster: "east", resource: "pods", namespace: "shop", name: "web" } },
  atMs: undefined,
};
const alice: CursorBinding = { user: "alice", query: "status=unhealthy", sort: "-age" };

describe("cursor", () => {
  test("[QL10] is decoded to the position it was encoded from, by the same binding", () => {
    fc.assert(
      fc.property(cursor, binding, (each, bound) => {
        const encoded = codec.encode(each, bound);
        expect(encoded).toMatch(/^[\w-]+$/);
        expect(codec.decode(encoded, bound)).toEqual(each);
      }),
    );
  });

  test("[QL10] [Q-37] of another user, query or order, or of another hub, is refused by the same sentence", () => {
    const encoded = codec.encode(sample, alice);
    const others: readonly CursorBinding[] = [
      { ...alice, user: "bob" },
      { ...alice, query: "status=healthy" },
      { ...alice, sort: "age" },
      // The same characters, divided in another way.
      { user: "alices", query: "tatus=unhealthy", sort: "-age" },
      { user: "", query: "alicestatus=unhealthy", sort: "-age" },
    ];
    for (const other of others) expect(() => codec.decode(encoded, other)).toThrow(refusal);
    const foreign = createCursorCodec(new Uint8Array(32).fill(8), hmac);
    expect(() => foreign.decode(encoded, alice)).toThrow(refusal);
  });

  test("[QL10] that was changed, cut, extended or made up is refused by the same sentence", () => {
    const encoded = codec.encode(sample, alice);
    const bytes = Uint8Array.fromBase64(encoded, { alphabet: "base64url" });
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = bytes.slice();
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const forged = changed.toBase64({ alphabet: "base64url", omitPadding: true });
      expect(() => codec.decode(forged, alice)).toThrow(refusal);
    }
    for (let length = 0; length < encoded.length; length += 1)
      expect(() => codec.decode(encoded.slice(0, length), alice)).toThrow(refusal);
    expect(() => codec.decode(`${encoded}AAAA`, alice)).toThrow(refusal);
    expect(() => codec.decode("A".repeat(200_000), alice)).toThrow(refusal);
    fc.assert(
      fc.property(fc.string(), (other) => {
        expect(() => codec.decode(other, alice)).toThrow(refusal);
      }),
    );
  });
});
