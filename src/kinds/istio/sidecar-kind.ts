// SPDX-License-Identifier: Apache-2.0
import { fieldOf, integerOf, listOf, textOf, textsOf } from "../fields.ts";
import { type ClusterFacts, type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { istioStatus } from "./istio-status.ts";
import { selectionColumns, setSelection } from "./workload-selection.ts";

type Part = Readonly<Record<string, unknown>>;

/** Sidecars: which ports a workload's proxy accepts, and which hosts it may reach (N-16). */
export const sidecarKind: Kind = {
  resource: { group: "networking.istio.io", resource: "sidecars" },
  kind: "Sidecar",
  versions: ["v1", "v1beta1", "v1alpha3"],
  isNamespaced: true,
  isConfiguration: true,
  usesFacts: true,
  columns: [
    ...selectionColumns,
    { name: "ingress", type: "stringList", isJson: true },
    { name: "egressHosts", type: "stringList", isMain: true },
    { name: "egress", type: "stringList", isJson: true },
    { name: "outboundMode", type: "string" },
  ],
  project: projectSidecar,
};

function projectSidecar(object: unknown, facts: ClusterFacts): Projected {
  const columns: Columns = new Map();
  const egress = listOf(object, "spec", "egress");
  setSelection(columns, object, facts, ["spec", "workloadSelector", "labels"]);
  setColumn(columns, "ingress", jsonTexts(listOf(object, "spec", "ingress").map(toIngress)));
  setColumn(columns, "egressHosts", Array.from(new Set(egress.flatMap((listener) => textsOf(listener, "hosts")))));
  setColumn(columns, "egress", jsonTexts(egress.map(toEgress)));
  setColumn(columns, "outboundMode", textOf(object, "spec", "outboundTrafficPolicy", "mode"));
  return { columns, ...istioStatus(object) };
}

function toIngress(listener: unknown): Part {
  return {
    ...toListener(listener),
    defaultEndpoint: textOf(listener, "defaultEndpoint"),
    tlsMode: textOf(listener, "tls", "mode"),
  };
}

function toEgress(listener: unknown): Part {
  return { ...toListener(listener), hosts: textsOf(listener, "hosts") };
}

function toListener(listener: unknown): Part {
  const port = fieldOf(listener, "port");
  return {
    port: integerOf(port, "number"),
    portName: textOf(port, "name"),
    protocol: textOf(port, "protocol"),
    bind: textOf(listener, "bind"),
    captureMode: textOf(listener, "captureMode"),
  };
}
