// SPDX-License-Identifier: Apache-2.0
import { booleanOf, fieldOf, integerOf, listOf, textOf, textsOf } from "./fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "./kind.ts";

/** Room for 100 endpoints, the most that Kubernetes puts into one slice, with the longest names found in practice. */
const endpointsBytes = 32_768;

/** EndpointSlices: every endpoint, ready or not (N-10). */
export const endpointSliceKind: Kind = {
  resource: { group: "discovery.k8s.io", resource: "endpointslices" },
  kind: "EndpointSlice",
  versions: ["v1", "v1beta1"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [
    { name: "service", type: "string", isMain: true },
    { name: "addressType", type: "string" },
    { name: "readyCount", type: "integer", isMain: true },
    { name: "endpointCount", type: "integer", isMain: true },
    { name: "ports", type: "stringList", isJson: true, isMain: true },
    { name: "endpoints", type: "stringList", isJson: true, maxBytes: endpointsBytes },
  ],
  project: projectEndpointSlice,
};

function projectEndpointSlice(object: unknown): Projected {
  const columns: Columns = new Map();
  const endpoints = listOf(object, "endpoints");
  const namespace = textOf(object, "metadata", "namespace");
  setColumn(columns, "service", textOf(object, "metadata", "labels", "kubernetes.io/service-name"));
  setColumn(columns, "addressType", textOf(object, "addressType"));
  columns.set("readyCount", endpoints.filter(isReady).length);
  columns.set("endpointCount", endpoints.length);
  setColumn(columns, "ports", jsonTexts(listOf(object, "ports").map(toPort)));
  setColumn(columns, "endpoints", jsonTexts(endpoints.map((each) => toEndpoint(each, namespace))));
  return { columns };
}

/** An absent condition counts as ready, as the API documents. */
function isReady(endpoint: unknown): boolean {
  return booleanOf(endpoint, "conditions", "ready") ?? true;
}

/** `serving` and `terminating` as written. The target's namespace is set only if it differs from the slice's. */
function toEndpoint(endpoint: unknown, namespace: string | undefined): Readonly<Record<string, unknown>> {
  const target = fieldOf(endpoint, "targetRef");
  const targetNamespace = textOf(target, "namespace");
  return {
    addresses: textsOf(endpoint, "addresses"),
    ready: isReady(endpoint),
    serving: booleanOf(endpoint, "conditions", "serving"),
    terminating: booleanOf(endpoint, "conditions", "terminating"),
    targetKind: textOf(target, "kind"),
    targetNamespace: targetNamespace === namespace ? undefined : targetNamespace,
    targetName: textOf(target, "name"),
    node: textOf(endpoint, "nodeName") ?? textOf(endpoint, "topology", "kubernetes.io/hostname"),
    zone: textOf(endpoint, "zone") ?? textOf(endpoint, "topology", "topology.kubernetes.io/zone"),
  };
}

function toPort(port: unknown): Readonly<Record<string, unknown>> {
  return {
    name: textOf(port, "name"),
    protocol: textOf(port, "protocol") ?? "TCP",
    port: integerOf(port, "port"),
    appProtocol: textOf(port, "appProtocol"),
  };
}
