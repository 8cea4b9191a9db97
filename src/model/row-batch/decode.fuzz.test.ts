// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import { createHasher } from "../rows/hasher.ts";
import { type ColumnValue, type Row, toResourceVersion, toRowHash } from "../rows/row.ts";
import { decodeRowBatch } from "./decode.ts";
import { decodeKeys } from "./decode-keys.ts";
import { encodeRowBatch } from "./encode.ts";
import { RowColumns } from "./row-columns.ts";
import { ConcatenatingArena } from "./testing/concatenating-arena.ts";

const hasher = await createHasher();

/** The bound of CO31 on what decoding may allocate. */
function maxDecodedFor(byteCount: number): number {
  return byteCount * 160 + 4096;
}

/** The failure of a decoder that keeps its promise; anything else fails the test. */
function refusalOf(bytes: Uint8Array): FlotillaError | undefined {
  const keyCount = countKeys(bytes);
  try {
    const batch = decodeRowBatch(bytes, hasher);
    assertWithin(batch.parts.decodedBytes, bytes);
    if ([...batch.rows()].length !== batch.rowCount || [...batch.deletes()].length !== batch.deleteCount)
      throw new Error("rows or deletes are missing");
    if (keyCount !== batch.rowCount + batch.deleteCount) throw new Error("keys are missing");
    batch.appendTo(new RowColumns(new ConcatenatingArena()));
    return undefined;
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    assertWithin(Number(reason.ids["decodedBytes"] ?? 0), bytes);
    return reason;
  }
}

/** The keys that are read alone; undefined if they are refused. */
function countKeys(bytes: Uint8Array): number | undefined {
  try {
    const { rows, deletes } = decodeKeys(bytes, hasher);
    return rows.length + deletes.length;
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    assertWithin(Number(reason.ids["decodedBytes"] ?? 0), bytes);
    return undefined;
  }
}

function assertWithin(decodedBytes: number, bytes: Uint8Array): void {
  if (decodedBytes > maxDecodedFor(bytes.length)) throw new Error(`${decodedBytes} bytes made of ${bytes.length}`);
}

/** Decodes and walks through everything: the code of the refusal, or "valid". */
function outcomeOf(bytes: Uint8Array): string {
  return refusalOf(bytes)?.code ?? "valid";
}

/** The bytes with a check that fits, as somebody who means harm would make them. */
function sealed(body: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  writer.bytes(body);
  writer.u64(hasher.hash64(body));
  return writer.take();
}

function createSample(): Uint8Array {
  const names = ["a", "ab", "ü", "z:z"];
  const rows = names.map(
    (name, at): Row => ({
      namespace: at === 0 ? "" : "default",
      name,
      uid: at === 1 ? "mirror" : "0a1b2c3d-0000-4000-8000-0000000000ff",
      resourceVersion: toResourceVersion(String(at * 1_000_000_007)),
      generation: at,
      createdAt: 1_700_000_000_000 + at * 1000,
      ...(at === 2 ? { deletedAt: 1_700_000_000_000 } : {}),
      status: "healthy",
      reason: at === 3 ? "Reason" : "",
      message: at === 3 ? "because" : "",
      labels: new Map([
        ["app", name],
        ["tier", "web"],
      ]),
      annotations: new Map(at === 1 ? [["note", "x"]] : []),
      ...(at > 1 ? { owner: { group: "apps", kind: "ReplicaSet", name: "rs", uid: "" } } : {}),
      columns: new Map<string, ColumnValue>([
        ["phase", "Running"],
        ["restarts", at * 300],
        ["load", at / 3],
        ...(at % 2 === 0 ? [["ready", true] as const, ["images", ["i1", name]] as const] : []),
      ]),
      rowHash: toRowHash(BigInt(at) * 0x9e3779b97f4a7c15n),
    }),
  );
  const columns = [
    { name: "phase", type: "string" },
    { name: "restarts", type: "integer" },
    { name: "load", type: "float" },
    { name: "ready", type: "boolean" },
    { name: "images", type: "stringList" },
  ] as const;
  const deletes = ["old1", "old2"].map((name) => ({
    namespace: "default",
    name,
    uid: "0a1b2c3d-0000-4000-8000-0000000000ff",
  }));
  return encodeRowBatch({ resource: { group: "", resource: "pods" }, kind: "Pod", columns, rows, deletes }, hasher);
}

const sample = createSample();
const body = sample.subarray(0, -8);

describe("damage", () => {
  test("the sample itself is valid", () => {
    expect(outcomeOf(sample)).toBe("valid");
  });

  test("[CO30] every beginning of a batch is refused, with or without a fitting check", () => {
    for (let length = 0; length < sample.length; length += 1)
      expect(outcomeOf(sample.subarray(0, length))).toBe("MALFORMED");
    for (let length = 5; length < body.length; length += 1)
      expect(outcomeOf(sealed(body.subarray(0, length)))).toBe("MALFORMED");
  });

  test("[CO30] bytes behind the end are refused", () => {
    expect(outcomeOf(Uint8Array.from([...sample, 0]))).toBe("MALFORMED");
    expect(outcomeOf(sealed(Uint8Array.from([...body, 0])))).toBe("MALFORMED");
  });

  test("[CO30] every single changed byte is noticed", () => {
    for (let at = 0; at < sample.length; at += 1) {
      const damaged = sample.slice();
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      expect(outcomeOf(damaged)).toBe(at === 4 ? "UNSUPPORTED_VERSION" : "MALFORMED");
    }
  });

  test("[CO30] another version is refused before its check is looked at, saying both versions", () => {
    const newer = Uint8Array.from([...sample.subarray(0, 4), 2]);
    expect(() => decodeRowBatch(newer, hasher)).toThrow(expect.objectContaining({ code: "UNSUPPORTED_VERSION" }));
    expect(() => decodeRowBatch(newer, hasher)).toThrow("version 2; this build reads version 1");
  });
});

describe("malice", () => {
  test("[CO31][CO38] every single changed byte, with a fitting check, gives a whole batch or a refusal", () => {
    const outcomes = new Map<string, number>();
    for (let at = 5; at < body.length; at += 1)
      for (const change of [0x01, 0x80, 0xff]) {
        const changed = body.slice();
        changed[at] = (changed[at] ?? 0) ^ change;
        const outcome = outcomeOf(sealed(changed));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    expect([...outcomes.keys()].sort()).toEqual(["MALFORMED", "valid"]);
    expect(outcomes.get("MALFORMED")).toBeGreaterThan(body.length);
  });

  test("[CO31] any bytes give a batch or a refusal", () => {
    const hostile = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(hostile, (bytes) => {
        expect(outcomeOf(bytes)).toBe("MALFORMED");
        const headed = sealed(Uint8Array.from([...sample.subarray(0, 5), ...bytes]));
        expect(["MALFORMED", "valid"]).toContain(outcomeOf(headed));
      }),
      { numRuns: 1000 },
    );
  });

  test("[CO31] any few changes, cuts and repetitions, with a fitting check, give a batch or a refusal", () => {
    const place = fc.integer({ min: 5, max: body.length - 1 });
    const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 1, 2, 4, 8, 0x7f, 0x80, 0xff));
    const edit = fc.record({ at: place, drop: fc.integer({ min: 0, max: 9 }), put: fc.array(byte, { maxLength: 9 }) });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        let bytes = [...body];
        for (const { at, drop, put } of edits) bytes = bytes.toSpliced(at, drop, ...put);
        expect(["MALFORMED", "valid"]).toContain(outcomeOf(sealed(Uint8Array.from(bytes))));
      }),
      { numRuns: 1000 },
    );
  });
});
