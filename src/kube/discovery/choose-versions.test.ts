// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { chooseVersions } from "./choose-versions.ts";
import type { Served } from "./served-resource.ts";

function served(texts: readonly string[], unknownGroupVersions: readonly string[] = [], verbs = ["list"]): Served {
  const resources = texts.map((text) => {
    const [group = "", version = "", resource = ""] = text.split("/");
    return { group, version, resource, kind: "Any", isNamespaced: true, verbs };
  });
  return { resources, unknownGroupVersions };
}

const pods = { resource: { group: "", resource: "pods" }, versions: ["v1"] };
const scalers = { resource: { group: "autoscaling", resource: "horizontalpodautoscalers" }, versions: ["v2", "v1"] };
const gateways = { resource: { group: "istio.io", resource: "gateways" }, versions: ["v1", "v1beta1"] };

test("[KU18] the best version that is served is chosen, and what is served in none is not installed", () => {
  const server = served([
    "/v1/pods",
    "autoscaling/v1/horizontalpodautoscalers",
    "autoscaling/v2/horizontalpodautoscalers",
    "istio.io/v1alpha3/gateways",
  ]);
  const chosen = chooseVersions([gateways, scalers, pods], server);
  expect(chosen.collected.map(({ wanted, served: { version } }) => [wanted, version])).toEqual([
    [scalers, "v2"],
    [pods, "v1"],
  ]);
  expect(chosen.notInstalled).toEqual([gateways]);
});

test("[KU18][L4] a kind of a group that could not be told is undecided, unless another version is known", () => {
  const server = served(["autoscaling/v1/horizontalpodautoscalers"], ["autoscaling/v2", "istio.io/v1"]);
  const chosen = chooseVersions([gateways, scalers], server);
  expect(chosen.undecided).toEqual([gateways]);
  expect(chosen.collected).toMatchObject([{ served: { version: "v1" } }]);
});

test("[KU18] what cannot be listed is not collected", () => {
  expect(chooseVersions([pods], served(["/v1/pods"], [], ["create"])).notInstalled).toEqual([pods]);
});
