// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { checkIdTemplate, defaultIdTemplate, nameContexts } from "./context-id.ts";

const eks = "arn:aws:eks:eu-west-1:123456789012:cluster/Prod_Shop";
const gke = "gke_my-project_europe-west1-b_prod";

describe("[IN19] the id of a context", () => {
  test.each([
    [eks, defaultIdTemplate, "prod-shop"],
    [eks, "{region}-{name}", "eu-west-1-prod-shop"],
    [eks, "{project}-{name}", "123456789012-prod-shop"],
    ["arn:aws-us-gov:eks:us-gov-west-1:1:cluster/gov", "{region}-{name}", "us-gov-west-1-gov"],
    [gke, defaultIdTemplate, "prod"],
    [gke, "{project}-{region}-{name}", "my-project-europe-west1-b-prod"],
    ["me@prod.eu-west-1.eksctl.io", "{region}-{name}", "eu-west-1-prod"],
    ["kind-local", defaultIdTemplate, "kind-local"],
    ["Admin@Shop", "{context}", "admin-shop"],
    ["plain", "{region}-{name}", "plain"],
  ])("%s with %s is %s", (context, template, id) => {
    expect(nameContexts([context], template)).toEqual([{ context, id }]);
  });

  test("two contexts with the same id are refused, with the template that tells them apart", () => {
    const other = "arn:aws:eks:us-east-1:123456789012:cluster/Prod_Shop";
    expect(() => nameContexts([eks, other], defaultIdTemplate)).toThrow(
      `contexts "${eks}" and "${other}" would both become prod-shop; use --id-template '{region}-{name}'`,
    );
    expect(nameContexts([eks, other], "{region}-{name}").map(({ id }) => id)).toEqual([
      "eu-west-1-prod-shop",
      "us-east-1-prod-shop",
    ]);
  });

  test("one that is no id of a cluster is refused", () => {
    for (const context of ["___", "x".repeat(64)])
      expect(() => nameContexts([context], "{name}")).toThrow("which is not a valid cluster id");
  });

  test("a template names parts that there are, and at least one", () => {
    expect(checkIdTemplate("{name}-{place}")).toContain('contains "{place}"; it may contain {name}, {region}');
    expect(checkIdTemplate("prod")).toContain("every cluster has the same id");
    expect(checkIdTemplate("{region}-{name}")).toBeUndefined();
  });
});
