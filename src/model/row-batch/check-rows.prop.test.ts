// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { parseClusterId } from "../cluster-id.ts";
import { createHasher } from "../rows/hasher.ts";
import { type ColumnValue, type Row, type RowContent, toResourceVersion, toRowHash } from "../rows/row.ts";
import { faultOfRow, maxRowTimeMs, minRowTimeMs } from "../rows/row-check.ts";
import { RowSealer } from "../rows/row-sealer.ts";
import { decodeRowBatch, decodeUnchecked } from "./decode.ts";
import { encodeRowBatch, type RowBatchContent } from "./encode.ts";

const hasher = await createHasher();
const resource = { group: "", resource: "pods" };
const columns = [
  { name: "flag", type: "boolean" },
  { name: "load", type: "float" },
  { name: "phase", type: "string" },
  { name: "replicas", type: "integer" },
  { name: "images", type: "stringList" },
] as const;

const plain: Row = {
  namespace: "default",
  name: "web",
  uid: "u",
  resourceVersion: toResourceVersion("7"),
  generation: 1,
  createdAt: 1_000,
  status: "healthy",
  reason: "",
  message: "",
  labels: new Map(),
  annotations: new Map(),
  columns: new Map(),
  rowHash: toRowHash(1n),
};

function encode(content: Partial<RowBatchContent>): Uint8Array {
  return encodeRowBatch({ resource, kind: "Pod", columns, rows: [], deletes: [], ...content }, hasher);
}

function refusalOf(content: Partial<RowBatchContent>): FlotillaError | undefined {
  try {
    decodeRowBatch(encode(content), hasher);
    return undefined;
  } catch (reason) {
    if (reason instanceof FlotillaError) return reason;
    throw reason;
  }
}

const part = fc.constantFrom(
  "",
  "a",
  "..",
  ".",
  "a/b",
  "%2e",
  "A",
  "../../../etc",
  "\u202egpj",
  "x".repeat(1_030),
  "-",
);
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(-1, 0, 2 ** 53 - 1, minRowTimeMs - 1, minRowTimeMs, maxRowTimeMs, maxRowTimeMs + 1, 8.64e15 + 1),
);
const anyRow: fc.Arbitrary<Row> = fc
  .record(
    {
      namespace: part,
      name: fc.oneof(part, fc.constant("n".repeat(1_025))),
      uid: part,
      resourceVersion: part.map(toResourceVersion),
      generation: number,
      createdAt: number,
      deletedAt: number,
    },
    { requiredKeys: [] },
  )
  .map((changes) => ({ ...plain, ...changes }));

describe("the receiver's check of rows", () => {
  test("[CO64] the decoder refuses exactly the rows that a sealer refuses, and names them", () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        const fault = faultOfRow(row);
        const refusal = refusalOf({ rows: [row] });
        expect(refusal?.code).toBe(fault === undefined ? undefined : "MALFORMED");
        if (fault !== undefined) expect(refusal?.message).toContain(fault);
      }),
      { numRuns: 400 },
    );
  });

  test("[CO64] a delete has the key of a row that could have been", () => {
    expect(refusalOf({ deletes: [{ namespace: "a", name: "b", uid: "" }] })).toBeUndefined();
    for (const wrong of [{ namespace: "a/b" }, { name: "../x" }, { uid: "u".repeat(1_025) }])
      expect(refusalOf({ deletes: [{ namespace: "a", name: "b", uid: "", ...wrong }] })?.code).toBe("MALFORMED");
  });

  test("[CO65] a kind's name is no longer than Kubernetes takes", () => {
    expect(refusalOf({ kind: "K".repeat(63) })).toBeUndefined();
    expect(refusalOf({ kind: "K".repeat(64) })?.message).toContain("kind");
  });

  test("[CO24][CO64] the bytes of a row are counted as its sealer counts them", () => {
    const text = fc.string({ maxLength: 200, unit: "grapheme" });
    const texts = fc.array(fc.tuple(text, text), { maxLength: 5 }).map((all) => new Map(all));
    const content: fc.Arbitrary<RowContent> = fc
      .record({
        uid: fc.oneof(fc.uuid(), text),
        reason: text,
        message: text,
        labels: texts,
        annotations: texts,
        owner: fc.option(fc.record({ group: text, kind: text, name: text, uid: fc.oneof(fc.uuid(), text) })),
        deletedAt: fc.option(fc.nat()),
        columns: fc
          .record(
            {
              flag: fc.boolean(),
              load: fc.integer(),
              phase: text,
              replicas: fc.integer(),
              images: fc.array(text, { maxLength: 4 }),
            },
            { requiredKeys: [] },
          )
          .map((values) => new Map<string, ColumnValue>(Object.entries(values))),
      })
      .map(({ owner, deletedAt, ...fixed }) => ({
        ...plain,
        ...fixed,
        ...(owner === null ? {} : { owner }),
        ...(deletedAt === null ? {} : { deletedAt }),
      }));
    let hashedBytes = 0;
    const counting = { ...hasher, hash64: (bytes: Uint8Array) => BigInt((hashedBytes = bytes.length)) };
    const sealer = new RowSealer(parseClusterId("c1"), resource, counting);
    const prefixBytes = [1, 1 + "c1".length, 1 + "".length, 1 + "pods".length].reduce((sum, each) => sum + each);
    fc.assert(
      fc.property(fc.array(content, { minLength: 1, maxLength: 4 }), (contents) => {
        let expected = 0;
        const rows = contents.map((each, at) => {
          const row = sealer.seal({ ...each, name: `web-${at}` });
          expected += hashedBytes - prefixBytes;
          return row;
        });
        expect(decodeRowBatch(encode({ rows }), hasher).parts.expandedBytes).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  test("[CO24][CO31] a batch of few bytes whose list names one long text 40,000 times is refused", () => {
    const images = Array.from({ length: 40_000 }, () => "x".repeat(65_000));
    const rows = [{ ...plain, columns: new Map([["images", images]]) }];
    expect(refusalOf({ rows })?.message).toMatch(/the row of pods "default\/web" has 2600\d+ bytes, the most is 65536/);
  });

  test("[CO66] stored rows from before the check are found one by one, and the others stay", () => {
    const rows = [
      { ...plain, name: "a", generation: -1 },
      { ...plain, name: "b" },
      { ...plain, name: "c/d" },
    ];
    const { batch, findings } = decodeUnchecked(encode({ rows }), hasher);
    expect([...findings.badRows]).toEqual([1, 0, 1]);
    expect(findings.badCount).toBe(2);
    expect(batch.rowCount).toBe(3);
  });
});
