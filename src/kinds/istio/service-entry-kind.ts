// SPDX-License-Identifier: Apache-2.0
import { integerOf, listOf, textMapOf, textOf, textsOf } from "../fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { selectorTexts } from "../service-kind.ts";
import { defaultedColumn, setWithDefaults } from "./defaulted.ts";
import { istioStatus } from "./istio-status.ts";

/** ServiceEntries: hosts added to the mesh beside Kubernetes Services (N-15). */
export const serviceEntryKind: Kind = {
  resource: { group: "networking.istio.io", resource: "serviceentries" },
  kind: "ServiceEntry",
  versions: ["v1", "v1beta1", "v1alpha3"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [
    { name: "hosts", type: "stringList", isMain: true },
    { name: "addresses", type: "stringList" },
    { name: "ports", type: "stringList", isJson: true, isMain: true },
    { name: "location", type: "string", isMain: true },
    { name: "resolution", type: "string", isMain: true },
    { name: "exportTo", type: "stringList" },
    { name: "endpoints", type: "stringList", isJson: true },
    { name: "selector", type: "stringList" },
    defaultedColumn,
  ],
  project: projectServiceEntry,
};

function projectServiceEntry(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "hosts", textsOf(object, "spec", "hosts"));
  setColumn(columns, "addresses", textsOf(object, "spec", "addresses"));
  setColumn(columns, "ports", jsonTexts(listOf(object, "spec", "ports").map(toPort)));
  setWithDefaults(columns, {
    location: [textOf(object, "spec", "location"), "MESH_EXTERNAL"],
    resolution: [textOf(object, "spec", "resolution"), "NONE"],
    exportTo: [textsOf(object, "spec", "exportTo"), ["*"]],
  });
  setColumn(columns, "endpoints", jsonTexts(listOf(object, "spec", "endpoints").map(toEndpoint)));
  setColumn(columns, "selector", selectorTexts(textMapOf(object, "spec", "workloadSelector", "labels")));
  return { columns, ...istioStatus(object) };
}

function toPort(port: unknown): Readonly<Record<string, unknown>> {
  return {
    number: integerOf(port, "number"),
    name: textOf(port, "name"),
    protocol: textOf(port, "protocol"),
    targetPort: integerOf(port, "targetPort"),
  };
}

function toEndpoint(endpoint: unknown): Readonly<Record<string, unknown>> {
  return {
    address: textOf(endpoint, "address"),
    network: textOf(endpoint, "network"),
    locality: textOf(endpoint, "locality"),
    weight: integerOf(endpoint, "weight"),
    labels: selectorTexts(textMapOf(endpoint, "labels")),
  };
}
