// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { configMapKind } from "./config-map-kind.ts";
import { secretKind } from "./secret-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";

const metadata = { name: "web", namespace: "shop" };

test("[KI2] [KI8] [KI11] a ConfigMap's row has the names of its keys, sorted, and is healthy", () => {
  const data = JSON.parse('{"b":"hunter2","__proto__":"hunter2","a":7}') as unknown;
  const row = rowOf(configMapKind, {
    metadata,
    data,
    binaryData: { c: "aHVudGVyMg==", a: "" },
    immutable: true,
  });
  expect(Object.fromEntries(row.columns)).toEqual({ keys: ["__proto__", "a", "b", "c"], immutable: true });
  expect(row.status).toBe("healthy");
});

test.each([
  [configMapKind, 64, undefined],
  [configMapKind, 2_000, 2_000],
  [secretKind, 2_000, 2_000],
])("[KI31] a row has the number of keys where it may not hold them all", (kind, count, keyCount) => {
  const names = Array.from({ length: count }, (_, at) => String(at).padStart(253, "k"));
  const { columns } = rowOf(kind, { metadata, data: Object.fromEntries(names.map((name) => [name, ""])) });
  expect(columns.get("keyCount")).toBe(keyCount);
  expect(columns.has("cut")).toBe(keyCount !== undefined);
});

test("[KI2] [KI11] a Secret's row has its type and the names of its keys", () => {
  const row = rowOf(secretKind, {
    metadata,
    type: "kubernetes.io/tls",
    data: { "tls.key": "eA==", "tls.crt": "" },
  });
  expect(Object.fromEntries(row.columns)).toEqual({ type: "kubernetes.io/tls", keys: ["tls.crt", "tls.key"] });
  expect(row.status).toBe("healthy");
});
