// SPDX-License-Identifier: Apache-2.0
import { createStatusReport } from "../model/status.ts";
import { compareUtf8 } from "../model/text.ts";
import { fieldOf, integerOf, listOf, textMapOf, textOf, textsOf } from "./fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "./kind.ts";

/**
 * Services: their selector and their addresses (N-9). The first `externalIpCount` of `addresses` are the spec's
 * `externalIPs`, the others those of the load balancer.
 */
export const serviceKind: Kind = {
  resource: { group: "", resource: "services" },
  kind: "Service",
  versions: ["v1"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [
    { name: "type", type: "string", isMain: true },
    { name: "clusterIps", type: "stringList", isMain: true },
    { name: "addresses", type: "stringList", isMain: true },
    { name: "externalIpCount", type: "integer" },
    { name: "externalName", type: "string" },
    { name: "selector", type: "stringList" },
    { name: "ports", type: "stringList", isJson: true, isMain: true },
  ],
  project: projectService,
};

function projectService(object: unknown): Projected {
  const columns: Columns = new Map();
  const type = textOf(object, "spec", "type") ?? "ClusterIP";
  const externalIps = textsOf(object, "spec", "externalIPs");
  const addresses = [...externalIps, ...balancerAddressesOf(object)];
  columns.set("type", type);
  setColumn(columns, "clusterIps", textsOf(object, "spec", "clusterIPs"));
  setColumn(columns, "addresses", addresses);
  if (externalIps.length > 0) columns.set("externalIpCount", externalIps.length);
  setColumn(columns, "externalName", textOf(object, "spec", "externalName"));
  setColumn(columns, "selector", selectorTexts(textMapOf(object, "spec", "selector")));
  setColumn(columns, "ports", jsonTexts(listOf(object, "spec", "ports").map(toPort)));
  const waits = type === "LoadBalancer" && addresses.length === 0;
  return {
    columns,
    status: waits
      ? createStatusReport("progressing", "AddressPending", "the load balancer has no address yet")
      : undefined,
  };
}

/** A port as an element of the row. targetPort is a number or a name, as written. */
function toPort(port: unknown): Readonly<Record<string, unknown>> {
  return {
    name: textOf(port, "name"),
    protocol: textOf(port, "protocol") ?? "TCP",
    port: integerOf(port, "port"),
    targetPort: integerOf(port, "targetPort") ?? textOf(port, "targetPort"),
    nodePort: integerOf(port, "nodePort"),
  };
}

function balancerAddressesOf(object: unknown): readonly string[] {
  return listOf(object, "status", "loadBalancer", "ingress").flatMap((each) => {
    const address = fieldOf(each, "ip") ?? fieldOf(each, "hostname");
    return typeof address === "string" ? [address] : [];
  });
}

/** Match labels as sorted `key=value` texts (KI8). */
export function selectorTexts(selector: ReadonlyMap<string, string>): string[] {
  return Array.from(selector, ([key, value]) => `${key}=${value}`).sort(compareUtf8);
}
