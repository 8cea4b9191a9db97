// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { namespaceKind } from "./namespace-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";

test("[KI11] a Namespace is healthy as soon as it exists", () => {
  const row = rowOf(namespaceKind, { metadata: { name: "shop" }, status: { phase: "Active" } });
  expect([row.namespace, row.name, row.status]).toEqual(["", "shop", "healthy"]);
  expect(Object.fromEntries(row.columns)).toEqual({ phase: "Active" });
});

test("a Namespace that is being deleted tells what is left in it", () => {
  const row = rowOf(namespaceKind, {
    metadata: { name: "shop", deletionTimestamp: "2026-01-05T10:00:00Z" },
    status: {
      phase: "Terminating",
      conditions: [
        { type: "NamespaceDeletionDiscoveryFailure", status: "False", message: "All resources discovered" },
        { type: "NamespaceContentRemaining", status: "True", message: "pods. has 3 resource instances" },
      ],
    },
  });
  expect(row.status).toBe("terminating");
  expect(row.columns.get("deletionWaitsFor")).toEqual(["pods. has 3 resource instances"]);
});
