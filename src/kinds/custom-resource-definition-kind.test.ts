// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { customResourceDefinitionKind } from "./custom-resource-definition-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";

const metadata = { name: "widgets.example.com" };
const accepted = { type: "NamesAccepted", status: "True", reason: "NoConflicts" };

describe("a CustomResourceDefinition", () => {
  test("[KI8] has group, names, scope and versions as columns, and no schema", () => {
    const row = rowOf(customResourceDefinitionKind, {
      metadata,
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "Widget", plural: "widgets", singular: "widget", shortNames: ["wg", "wd"], categories: ["all"] },
        versions: [
          { name: "v2", served: true, storage: true, schema: { openAPIV3Schema: {} } },
          { name: "v1", served: false, storage: false, deprecated: true },
        ],
      },
      status: { storedVersions: ["v1", "v2"] },
    });
    expect(Object.fromEntries(row.columns)).toEqual({
      group: "example.com",
      definedKind: "Widget",
      plural: "widgets",
      singular: "widget",
      scope: "Namespaced",
      shortNames: ["wd", "wg"],
      categories: ["all"],
      storedVersions: ["v1", "v2"],
      versions: [
        '{"name":"v2","served":true,"storage":true}',
        '{"name":"v1","served":false,"storage":false,"deprecated":true}',
      ],
    });
  });

  test.each<readonly [string, readonly object[], string, string]>([
    ["established", [accepted, { type: "Established", status: "True", reason: "Initial" }], "healthy", "Initial"],
    ["just created", [], "progressing", "NotReconciledYet"],
    [
      "not yet served",
      [accepted, { type: "Established", status: "False", reason: "Installing" }],
      "progressing",
      "Installing",
    ],
    [
      "in conflict over its names",
      [
        { type: "Established", status: "False" },
        { type: "NamesAccepted", status: "False", reason: "ListKindConflict" },
      ],
      "unhealthy",
      "ListKindConflict",
    ],
  ])("%s has its status", (_, conditions, status, reason) => {
    const row = rowOf(customResourceDefinitionKind, { metadata, status: { conditions } });
    expect([row.status, row.reason]).toEqual([status, reason]);
  });
});
