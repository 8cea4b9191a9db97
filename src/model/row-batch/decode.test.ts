// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import { createHasher } from "../rows/hasher.ts";
import { type Row, toResourceVersion, toRowHash } from "../rows/row.ts";
import { ByteReader } from "./byte-reader.ts";
import { decodeRowBatch } from "./decode.ts";
import { encodeRowBatch, type RowBatchContent } from "./encode.ts";
import { maxBatchBytes, maxDecodedBytes } from "./format.ts";
import type { RowBatch } from "./row-batch.ts";

const hasher = await createHasher();

/** The bound of CO31 on what decoding may allocate. */
function maxDecodedFor(byteCount: number): number {
  return byteCount * 160 + 4096;
}

/** The bytes with a check that fits, as somebody who means harm would make them. */
function sealed(body: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  writer.bytes(body);
  writer.u64(hasher.hash64(body));
  return writer.take();
}

/** A batch written by hand after magic and version. */
function forged(write: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter();
  writer.utf8("FLRB\u0001");
  write(writer);
  return sealed(writer.view());
}

function decode(bytes: Uint8Array): RowBatch | FlotillaError {
  try {
    return decodeRowBatch(bytes, hasher);
  } catch (reason) {
    if (reason instanceof FlotillaError) return reason;
    throw reason;
  }
}

function refusalOf(bytes: Uint8Array): FlotillaError | undefined {
  const outcome = decode(bytes);
  return outcome instanceof FlotillaError ? outcome : undefined;
}

const row: Row = {
  namespace: "",
  name: "a",
  uid: "",
  resourceVersion: toResourceVersion("1"),
  generation: 0,
  createdAt: 0,
  status: "healthy",
  reason: "",
  message: "",
  labels: new Map(),
  annotations: new Map(),
  columns: new Map(),
  rowHash: toRowHash(1n),
};

function encode(content: Pick<RowBatchContent, "columns" | "rows">): Uint8Array {
  return encodeRowBatch({ resource: { group: "", resource: "pods" }, kind: "Pod", deletes: [], ...content }, hasher);
}

const huge = 2 ** 52;

/** One string, "pods", which is the resource; no group, no kind. */
const start = [1, 0, 4, 0x70, 0x6f, 0x64, 0x73, 0, 1, 0];

describe("announcements that are not kept", () => {
  test.each<[string, number[]]>([
    ["strings", []],
    ["groups", start],
    ["elements", [...start, 1]],
    ["groups", [...start, 0]],
    ["owners", [...start, 0, 0]],
    ["rows", [...start, 0, 0, 0]],
    ["columns", [...start, 0, 0, 0, 0]],
    ["deletes", [...start, 0, 0, 0, 0, 0]],
  ])("[CO31][CO32] too many %s are refused before anything is made for them", (what, before) => {
    const bytes = forged((writer) => {
      writer.bytes(Uint8Array.from(before));
      writer.varint(huge);
    });
    expect(refusalOf(bytes)?.message).toContain(`${huge} ${what}`);
  });

  test("[CO31] short strings that share a long beginning expand within the bound", () => {
    const count = 20_000;
    const suffix = (at: number): string =>
      String.fromCharCode(0x71 + Math.floor(at / 6400), 0x30 + (Math.floor(at / 80) % 80), 0x30 + (at % 80));
    const bytes = forged((writer) => {
      writer.varint(count);
      for (let at = 0; at < count; at += 1) writer.u8(at === 0 ? 0 : 255);
      writer.varint(256);
      for (let at = 1; at < count; at += 1) writer.varint(3);
      writer.utf8("p".repeat(256));
      for (let at = 1; at < count; at += 1) writer.utf8(suffix(at));
    });
    const refusal = refusalOf(bytes);
    expect(refusal?.message).toContain("it ends too early");
    expect(refusal?.ids["decodedBytes"]).toBeGreaterThan(5_000_000);
    expect(refusal?.ids["decodedBytes"]).toBeLessThanOrEqual(maxDecodedFor(bytes.length));
  });

  test("[CO31] many columns that are almost constant expand within the bound", () => {
    const columns = Array.from({ length: 64 }, (_, at) => ({ name: `c${at}`, type: "integer" }) as const);
    const full = new Map(columns.map(({ name }) => [name, 1]));
    const rows = Array.from({ length: 1000 }, (_, at) => ({
      ...row,
      name: `n${at}`,
      columns: at === 7 ? new Map() : full,
    }));
    const bytes = encode({ columns, rows });
    expect(decodeRowBatch(bytes, hasher).parts.decodedBytes).toBeLessThanOrEqual(maxDecodedFor(bytes.length));
  });

  test("[CO32] an array over the limit is refused before it is made", () => {
    const reader = new ByteReader(new Uint8Array(8));
    expect(() => reader.newFloat64Array(maxDecodedBytes / 8 + 1)).toThrow(
      expect.objectContaining({ code: "MALFORMED" }),
    );
    expect(reader.decodedBytes).toBe(0);
  });

  test("[CO32] a batch of more than 64 MiB is refused unread", () => {
    const unused = {
      hash64: (): bigint => {
        throw new Error("the bytes were hashed");
      },
    };
    const bytes = new Uint8Array(maxBatchBytes + 1);
    bytes.set(new TextEncoder().encode("FLRB\u0001"));
    expect(() => decodeRowBatch(bytes, unused)).toThrow("the most is 67108864");
  });

  test.each<[string, number[]]>([
    ["the strings do not fit", [1, 0, 0xff, 0x7f]],
    ["a number is padded", [0x81, 0x00]],
    ["a number is too long", [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ["a stored string of 0 bytes", [1, 0, 0, 0]],
    ["a string shares more than there is", [1, 1, 1, 0x61]],
    ["the strings are not in order", [2, 0, 0, 1, 1, 0x62, 0x61]],
    ["the strings are not in order", [2, 0, 0, 1, 1, 0x61, 0x61]],
    ["the strings are not in order", [2, 0, 0, 2, 1, 0x61, 0x62, 0x61]],
    ["a string is not UTF-8", [1, 0, 1, 0xff]],
    ["a string begins inside a character", [2, 0, 0, 1, 1, 0x61, 0x80]],
    ["string 2 is not one of 2", [1, 0, 1, 0x61, 2, 2, 2]],
    ["it names no resource", [1, 0, 1, 0x41, 0, 1, 0]],
    ["a width of 0 bytes for ids", [...start, 1, 1, 0, 2, 0, 0, 2, 0, 0, 2]],
    ["keys of a map are not in order", [...start, 1, 2, 0, 4, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0]],
    ["the groups are not of the size announced", [...start, 1, 2, 0, 2, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0]],
    ["ids of form 2", [...start, 1, 1, 0, 2, 2, 0]],
    ["an empty dictionary", [...start, 1, 1, 0, 2, 1, 0]],
    ["the id 2 is not one of 2", [...start, 0, 1, 1, 0, 2, 0, 1, 4, 0]],
    ["the id 2 is not one of 2", [...start, 0, 1, 1, 0, 2, 0, 1, 2, 1]],
    ["the id 2 is not one of 2", [...start, 0, 0, 1, 0, 0, 4]],
    ["the id -1 is not one of 2", [...start, 0, 0, 1, 0, 0, 1]],
    ["the number 0 is out of range", [...start, 0, 1, 1, 0, 0, 0, 1, 2, 0]],
    ["a column of unknown type", [...start, 0, 0, 0, 0, 1, 1, 6]],
    ["columns are not in order", [...start, 0, 0, 0, 0, 2, 1, 1, 1, 1]],
    ["keys are not in order", [...start, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0]],
    ["1 bytes are left over", [...start, 0, 0, 0, 0, 0, 0, 0]],
  ])("[CO30] refused: %s", (fault, bytes) => {
    expect(refusalOf(forged((writer) => writer.bytes(Uint8Array.from(bytes))))?.message).toContain(fault);
  });

  test("[CO30] a value for a row that is not there, and a number that is none, are refused", () => {
    const columns = [{ name: "f", type: "float" }] as const;
    const bytes = encode({
      columns,
      rows: [
        { ...row, columns: new Map([["f", 1]]) },
        { ...row, name: "b" },
      ],
    });
    // The end is: form 2, the bitmap, a double, no deletes, the check.
    const bitmapAt = bytes.length - 8 - 1 - 8 - 1;
    expect(bytes[bitmapAt]).toBe(1);
    expect(refusalOf(sealed(bytes.subarray(0, -8).with(bitmapAt, 5)))?.message).toContain("rows that are not there");
    const infinite = bytes
      .subarray(0, -8)
      .with(bitmapAt + 7, 0xf0)
      .with(bitmapAt + 8, 0x7f);
    expect(refusalOf(sealed(infinite))?.message).toContain("not finite");
  });
});
