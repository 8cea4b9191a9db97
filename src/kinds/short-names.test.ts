// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { kubernetesSchema } from "../gen/kubernetes/schema-table.ts";
import { shortNamesOf } from "./short-names.ts";

interface Listed {
  readonly resources: readonly { readonly group: string; readonly resource: string; readonly shortNames: string[] }[];
}

test("[CL3] the short names of built-in kinds are those that an API server lists", () => {
  const { resources } = JSON.parse(kubernetesSchema) as Listed;
  for (const { group, resource, shortNames } of resources) {
    const id = group === "" ? resource : `${group}/${resource}`;
    expect([id, shortNamesOf(id)]).toEqual([id, shortNames]);
  }
});
