// SPDX-License-Identifier: Apache-2.0
import { toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ServiceSchema } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { toService } from "./core-messages.ts";
import { toObjectHead } from "./object-head.ts";
import { Fields, ReadFaults } from "./row-fields.ts";
import { stateOf } from "./testing/join.ts";
import { preparedRows } from "./testing/prepared-cluster.ts";

function read<T>(
  value: unknown,
  how: (fields: Fields) => T,
): { readonly value: T; readonly fault: string | undefined } {
  const faults = new ReadFaults();
  return { value: how(new Fields(new Map([["a", value]]), faults)), fault: faults.first };
}

describe("a value of another type, or out of range, is absent and a fault", () => {
  test.each<readonly [string, unknown, (fields: Fields) => unknown, unknown]>([
    ["text", 7, (fields) => fields.text("a"), ""],
    ["truth", "true", (fields) => fields.truth("a"), undefined],
    ["int32", 2 ** 31, (fields) => fields.int32("a"), undefined],
    ["int32 of a fraction", 1.5, (fields) => fields.int32("a"), undefined],
    ["uint32", -1, (fields) => fields.uint32("a"), undefined],
    ["integer or text", true, (fields) => fields.integerOrText("a"), undefined],
    ["texts", ["x", 1, "y"], (fields) => fields.texts("a"), ["x", "y"]],
    ["texts of a text", "x", (fields) => fields.texts("a"), []],
    ["pairs", ["k=v=w", "broken"], (fields) => fields.pairs("a"), { k: "v=w" }],
    ["parts", ["{", "[]", "null"], (fields) => fields.parts("a"), []],
    ["null", null, (fields) => fields.text("a"), ""],
  ])("%s", (_name, value, how, expected) => {
    expect(read(value, how)).toEqual({ value: expected, fault: "a" });
  });
});

test("what is absent reads as nothing, and is no fault", () => {
  const faults = new ReadFaults();
  const fields = new Fields(new Map(), faults);
  expect([fields.text("a"), fields.int32("a"), fields.truth("a"), fields.texts("a"), fields.pairs("a")]).toEqual([
    "",
    undefined,
    undefined,
    [],
    {},
  ]);
  expect(faults.first).toBeUndefined();
});

test("the fault names the first value by its way from the column", () => {
  const { fault } = read(['{"matches":[{"port":"x","uri":1}]}'], (fields) =>
    fields.parts("a").map((route) => route.parts("matches").map((match) => [match.int32("port"), match.text("uri")])),
  );
  expect(fault).toBe("a.matches.port");
});

test("a key such as __proto__ or constructor is a key like others, on the wire too", async () => {
  const [first] = preparedRows();
  const columns = new Map([["selector", ["__proto__=a", "constructor=b"]] as const]);
  const rows = first === undefined ? [] : [{ ...first, row: { ...first.row, columns } }];
  const selector = (await stateOf({ rows })).services[0]?.selector ?? {};
  expect(Object.entries(selector)).toEqual([
    ["__proto__", "a"],
    ["constructor", "b"],
  ]);
});

test.each([
  ["createdAt", { createdAt: 8.64e15 }],
  ["createdAt", { createdAt: -62_135_596_800_001 }],
  ["deletedAt", { deletedAt: 253_402_300_800_000 }],
  ["generation", { generation: 0.5 }],
])("a %s that protobuf cannot say is left out, and a fault", (name, wrong) => {
  const [first] = preparedRows();
  const faults = new ReadFaults();
  const head = toObjectHead({ ...first!.row, ...wrong }, new Fields(new Map(), faults), faults);
  expect(faults.first).toBe(name);
  expect(Object.entries(head.object).filter(([field, value]) => field === name && value !== 0n)).toEqual([]);
});

test("[L14] columns of any content make a message that can be encoded", () => {
  const json = fc.oneof(fc.json({ maxDepth: 3 }), fc.string(), fc.constantFrom('{"name":"\\ud800"}', '{"port":1e99}'));
  const value = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.array(json));
  const names = fc.constantFrom("type", "selector", "ports", "clusterIps", "addresses", "externalName", "cut");
  const [first] = preparedRows();
  fc.assert(
    fc.property(fc.array(fc.tuple(names, value)), (pairs) => {
      const faults = new ReadFaults();
      const columns = new Fields(new Map(pairs), faults);
      const service = toService(columns, toObjectHead(first!.row, columns, faults));
      expect(service.name).toBe(first!.row.name);
      expect(toBinary(ServiceSchema, service).byteLength).toBeGreaterThan(0);
    }),
  );
});
