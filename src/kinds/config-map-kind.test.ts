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

test("[KI2] [KI11] a Secret's row has its type and the names of its keys", () => {
  const row = rowOf(secretKind, {
    metadata,
    type: "kubernetes.io/tls",
    data: { "tls.key": "eA==", "tls.crt": "" },
  });
  expect(Object.fromEntries(row.columns)).toEqual({ type: "kubernetes.io/tls", keys: ["tls.crt", "tls.key"] });
  expect(row.status).toBe("healthy");
});
