// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseClusterId } from "../cluster-id.ts";
import { createHasher } from "./hasher.ts";
import { type RowContent, toResourceVersion } from "./row.ts";
import { RowSealer } from "./row-sealer.ts";

const hasher = await createHasher();
const cluster = parseClusterId("prod-east");
const pods = { group: "", resource: "pods" };
const sealer = new RowSealer(cluster, pods, hasher);

const content: RowContent = {
  namespace: "default",
  name: "web",
  uid: "u",
  resourceVersion: toResourceVersion("7"),
  generation: 1,
  createdAt: 1000,
  status: "healthy",
  reason: "",
  message: "",
  labels: new Map([["app", "web"]]),
  annotations: new Map(),
  columns: new Map(),
};

function hashOf(changes: Partial<RowContent>): bigint {
  return sealer.seal({ ...content, ...changes }).rowHash;
}

test("[CO41] the hashed bytes are those of the specification", () => {
  const text = (value: string): number[] => [value.length, ...new TextEncoder().encode(value)];
  const double = (value: number): number[] => [...new Uint8Array(Float64Array.of(value).buffer)];
  const parts: (number | number[])[] = [
    1,
    ...["prod-east", "", "pods", "default", "web", "u"].map(text),
    double(1),
    double(1000),
    [1, ...double(2000)],
    6,
    ...["Why", "what"].map(text),
    2,
    ...["app", "web", "tier", "a"].map(text),
    1,
    ...["note", "x"].map(text),
    1,
    ...["apps", "ReplicaSet", "web-1", "o"].map(text),
    5,
    [...text("flag"), 3, 1],
    [...text("images"), 4, 2, ...text("a"), ...text("b")],
    [...text("load"), 2, ...double(0.5)],
    [...text("phase"), 1, ...text("Running")],
    [...text("zero"), 2, ...double(0)],
  ];
  const hash = hashOf({
    deletedAt: 2000,
    reason: "Why",
    message: "what",
    labels: new Map([
      ["tier", "a"],
      ["app", "web"],
    ]),
    annotations: new Map([["note", "x"]]),
    owner: { group: "apps", kind: "ReplicaSet", name: "web-1", uid: "o" },
    columns: new Map<string, string | number | boolean | string[]>([
      ["phase", "Running"],
      ["load", 0.5],
      ["images", ["a", "b"]],
      ["flag", true],
      ["zero", -0],
    ]),
  });
  expect(hash).toBe(hasher.hash64(Uint8Array.from(parts.flat())));
});

test.each<[string, Partial<RowContent>]>([
  ["namespace", { namespace: "other" }],
  ["name", { name: "web2" }],
  ["uid", { uid: "v" }],
  ["generation", { generation: 2 }],
  ["createdAt", { createdAt: 1001 }],
  ["deletedAt", { deletedAt: 0 }],
  ["status", { status: "completed" }],
  ["reason", { reason: "x" }],
  ["message", { message: "x" }],
  ["label value", { labels: new Map([["app", "web2"]]) }],
  ["label key", { labels: new Map([["ap", "pweb"]]) }],
  ["annotations", { annotations: new Map([["app", "web"]]) }],
  ["owner", { owner: { group: "", kind: "", name: "", uid: "" } }],
  ["empty column", { columns: new Map([["c", ""]]) }],
  ["empty list column", { columns: new Map([["c", []]]) }],
  ["zero column", { columns: new Map([["c", 0]]) }],
  ["false column", { columns: new Map([["c", false]]) }],
])("[CO43] another %s gives another hash", (_, changes) => {
  expect(hashOf(changes)).not.toBe(hashOf({}));
});

test("[CO41][CO43] the same object in another cluster or resource has another hash", () => {
  const others = [
    new RowSealer(parseClusterId("prod-west"), pods, hasher),
    new RowSealer(cluster, { group: "", resource: "services" }, hasher),
    new RowSealer(cluster, { group: "apps", resource: "pods" }, hasher),
  ];
  const hashes = [sealer, ...others].map((each) => each.seal(content).rowHash);
  expect(new Set(hashes).size).toBe(4);
});

test("[CO42] another resourceVersion alone leaves the hash", () => {
  expect(hashOf({ resourceVersion: toResourceVersion("8") })).toBe(hashOf({}));
});

test("[CO26] texts that differ in lone surrogates only hash as their replacement does", () => {
  expect(hashOf({ message: "a\ud800" })).toBe(hashOf({ message: "a\ufffd" }));
  const merged = new Map([["\ufffd", "second"]]);
  const lone = new Map([
    ["\udc00", "second"],
    ["\ud800", "first"],
  ]);
  expect(hashOf({ labels: lone })).toBe(hashOf({ labels: merged }));
});

test.each<[string, Partial<RowContent>]>([
  ["namespace", { namespace: "Default" }],
  ["name", { name: "a/b" }],
  ["name", { name: "a\ud800" }],
  ["generation", { generation: 1.5 }],
  ["createdAt", { createdAt: Number.NaN }],
  ["deletedAt", { deletedAt: 2 ** 60 }],
  ["column", { columns: new Map([["c", Number.POSITIVE_INFINITY]]) }],
])("[CO63][CO23] a row with a bad %s is refused, and the next one is sealed", (what, changes) => {
  expect(() => hashOf(changes)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  expect(() => hashOf(changes)).toThrow(new RegExp(`row of pods .* ${what}`));
  expect(hashOf({})).toBe(hashOf({}));
});

test("[CO24] a row of 65,536 bytes is sealed, one byte more is refused naming the object", () => {
  const longest = 65_536 - 65;
  expect(hashOf({ message: "m".repeat(longest) })).not.toBe(0n);
  expect(() => hashOf({ message: "m".repeat(longest + 1) })).toThrow(expect.objectContaining({ code: "TOO_LARGE" }));
  expect(() => hashOf({ message: "m".repeat(longest + 1) })).toThrow('"default/web" has 65537 bytes');
});
