// SPDX-License-Identifier: Apache-2.0
// Services, Endpoints, EndpointSlices and the group networking.k8s.io.

import { compareUtf8 } from "../../model/text.ts";
import { type JsonObject } from "../json/json.ts";
import { listAt, numberAt, objectAt, objectsAt, textAt, textOf, textsAt } from "../json/json-fields.ts";
import { ageCell, countCell, joinFirst, nameOf } from "./cells.ts";
import { ageColumn, nameColumn, printCells, textColumn, wideColumn } from "./columns.ts";
import { formatLabels, formatSelector } from "./selector-text.ts";

/** Maximum number of addresses, ports or hosts in a cell. */
const maxShownCount = 3;

export const servicePrinter = printCells(
  [
    nameColumn,
    textColumn("Type"),
    textColumn("Cluster-IP"),
    textColumn("External-IP"),
    textColumn("Port(s)"),
    ageColumn,
    wideColumn("Selector"),
  ],
  (service, nowMs) => [
    nameOf(service),
    textOf(service, "spec", "type"),
    textsAt(service, "spec", "clusterIPs")[0] ?? "<none>",
    externalAddress(service),
    servicePorts(service),
    ageCell(service, nowMs),
    formatLabels(objectAt(service, "spec", "selector")),
  ],
);

export const endpointsPrinter = printCells([nameColumn, textColumn("Endpoints"), ageColumn], (endpoints, nowMs) => [
  nameOf(endpoints),
  objectsAt(endpoints, "subsets").length === 0
    ? "<none>"
    : joinFirst(objectsAt(endpoints, "subsets").flatMap(subsetAddresses), maxShownCount),
  ageCell(endpoints, nowMs),
]);

export const endpointSlicePrinter = printCells(
  [nameColumn, textColumn("AddressType"), textColumn("Ports"), textColumn("Endpoints"), ageColumn],
  (slice, nowMs) => {
    const ports = objectsAt(slice, "ports").map((port) =>
      String(numberAt(port, "port") ?? textAt(port, "name") ?? "*"),
    );
    const addresses = objectsAt(slice, "endpoints").flatMap((endpoint) => textsAt(endpoint, "addresses"));
    return [
      nameOf(slice),
      textOf(slice, "addressType"),
      joinFirst(ports, maxShownCount) || "<unset>",
      joinFirst(addresses, maxShownCount) || "<unset>",
      ageCell(slice, nowMs),
    ];
  },
);

export const ingressPrinter = printCells(
  [nameColumn, textColumn("Class"), textColumn("Hosts"), textColumn("Address"), textColumn("Ports"), ageColumn],
  (ingress, nowMs) => [
    nameOf(ingress),
    textAt(ingress, "spec", "ingressClassName") ?? "<none>",
    ingressHosts(ingress),
    balancerAddresses(ingress).join(","),
    (listAt(ingress, "spec", "tls") ?? []).length === 0 ? "80" : "80, 443",
    ageCell(ingress, nowMs),
  ],
);

export const ingressClassPrinter = printCells(
  [nameColumn, textColumn("Controller"), textColumn("Parameters"), ageColumn],
  (ingressClass, nowMs) => {
    const isDefault = textAt(ingressClass, "metadata", "annotations", "ingressclass.kubernetes.io/is-default-class");
    return [
      `${nameOf(ingressClass)}${isDefault === "true" ? " (default)" : ""}`,
      textOf(ingressClass, "spec", "controller"),
      classParameters(objectAt(ingressClass, "spec", "parameters")),
      ageCell(ingressClass, nowMs),
    ];
  },
);

export const networkPolicyPrinter = printCells([nameColumn, textColumn("Pod-Selector"), ageColumn], (policy, nowMs) => [
  nameOf(policy),
  formatSelector(objectAt(policy, "spec", "podSelector")),
  ageCell(policy, nowMs),
]);

export const serviceCidrPrinter = printCells([nameColumn, textColumn("CIDRs"), ageColumn], (range, nowMs) => [
  nameOf(range),
  textsAt(range, "spec", "cidrs").join(","),
  ageCell(range, nowMs),
]);

/** As in kube-apiserver, there are three cells for two columns. */
export const ipAddressPrinter = printCells([nameColumn, textColumn("ParentRef")], (address, nowMs) => [
  nameOf(address),
  parentName(objectAt(address, "spec", "parentRef")),
  ageCell(address, nowMs),
]);

function externalAddress(service: JsonObject): string {
  const external = textsAt(service, "spec", "externalIPs");
  switch (textOf(service, "spec", "type")) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [...balancerAddresses(service), ...external].join(",") || "<pending>";
    case "ExternalName":
      return textOf(service, "spec", "externalName");
    default:
      return "<unknown>";
  }
}

/** IP addresses, or host names without one, of a load balancer; sorted, without duplicates. */
function balancerAddresses(object: JsonObject): readonly string[] {
  const addresses = objectsAt(object, "status", "loadBalancer", "ingress").map(
    (point) => textOf(point, "ip") || textOf(point, "hostname"),
  );
  return [...new Set(addresses.filter((address) => address !== ""))].toSorted(compareUtf8);
}

function servicePorts(service: JsonObject): string {
  const ports = objectsAt(service, "spec", "ports").map((port) => {
    const nodePort = countCell(port, "nodePort");
    return `${countCell(port, "port")}${nodePort > 0 ? `:${nodePort}` : ""}/${textOf(port, "protocol")}`;
  });
  return ports.join(",") || "<none>";
}

/** Every address with every port; addresses alone without ports. */
function subsetAddresses(subset: JsonObject): readonly string[] {
  const addresses = objectsAt(subset, "addresses").map((address) => textOf(address, "ip"));
  const ports = objectsAt(subset, "ports").map((port) => countCell(port, "port"));
  if (ports.length === 0) return addresses;
  return ports.flatMap((port) => addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${port}`));
}

/** Rules without a host count among the omitted ones. */
function ingressHosts(ingress: JsonObject): string {
  const rules = objectsAt(ingress, "spec", "rules");
  const hosts: string[] = [];
  for (const rule of rules) {
    if (hosts.length === maxShownCount) return `${hosts.join(",")} + ${rules.length - maxShownCount} more...`;
    const host = textOf(rule, "host");
    if (host !== "") hosts.push(host);
  }
  return hosts.join(",") || "*";
}

function classParameters(parameters: JsonObject | undefined): string {
  if (parameters === undefined) return "<none>";
  const group = textAt(parameters, "apiGroup");
  return `${textOf(parameters, "kind")}${group === undefined ? "" : `.${group}`}/${textOf(parameters, "name")}`;
}

function parentName(parent: JsonObject | undefined): string {
  if (parent === undefined) return "<none>";
  const group = textOf(parent, "group");
  const resource = textOf(parent, "resource");
  const namespace = textOf(parent, "namespace");
  const owner = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
  return [owner, ...(namespace === "" ? [] : [namespace]), textOf(parent, "name")].join("/");
}
