// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { compareVersions } from "./compare-versions.ts";

test("[KI25] API versions are ordered as Kubernetes orders those of a CustomResourceDefinition", () => {
  const best = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
  expect(best.toReversed().sort(compareVersions)).toEqual(best);
});
