// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { resolveKindName } from "../../kinds/resolve-kind-name.ts";
import type { ColumnValue } from "../../model/rows/row.ts";
import { anonymousSubject, type Subject } from "../../model/subject.ts";
import { makeRow } from "../fleet/testing/test-rows.ts";
import { toDefinedNames } from "../rows/defined-names.ts";
import { withDefinedNames } from "./kind-names.ts";

test("[CL3] a kind is found by the names that a CustomResourceDefinition of the cluster gives it", async () => {
  const definitions = "apiextensions.k8s.io/customresourcedefinitions";
  const columns = new Map<string, ColumnValue>([
    ["group", "example.com"],
    ["plural", "widgets"],
    ["singular", "widget"],
    ["definedKind", "Widget"],
    ["shortNames", ["wd", "wg"]],
  ]);
  const row = { ...makeRow("east", definitions, { name: "widgets.example.com" }), columns };
  const reader = {
    listDefinedNames: async (_: Subject, cluster: string) => toDefinedNames(cluster === "east" ? [row] : []),
  };
  const kinds = await withDefinedNames(reader, anonymousSubject, {
    clusters: ["west", "east"],
    kinds: [
      { resource: "example.com/widgets", kind: "", version: "v1" },
      { resource: "pods", kind: "Pod", version: "v1" },
    ],
  });
  for (const name of ["wd", "WG", "widget", "Widget.example.com", "wd.v1.example.com"])
    expect([name, resolveKindName(kinds, name)]).toEqual([name, ["example.com/widgets"]]);
});
