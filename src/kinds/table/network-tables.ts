// SPDX-License-Identifier: Apache-2.0
// Services, EndpointSlices and Ingresses.
import type { RowContent } from "../../model/rows/row.ts";
import { compareUtf8 } from "../../model/text.ts";
import { integerOf, textOf, textsOf } from "../fields.ts";
import { joinFirst, selectorText } from "./cell-texts.ts";
import { ageColumn, createRowTable, nameColumn, textColumn, wideColumn } from "./printed-columns.ts";
import { countIn, isTrueIn, listIn, partsIn, textIn } from "./row-values.ts";

/** Most addresses, ports or hosts in a cell. */
const maxShownCount = 3;

/** Services. */
export const serviceTable = createRowTable([
  nameColumn,
  textColumn("Type", (row) => textIn(row, "type")),
  textColumn("Cluster-IP", (row) => listIn(row, "clusterIps")?.[0] ?? "<none>"),
  textColumn("External-IP", externalAddress),
  textColumn("Port(s)", (row) => partsIn(row, "ports").map(servicePort).join(",") || "<none>"),
  ageColumn,
  wideColumn("Selector", (row) => selectorText(listIn(row, "selector")) || "<none>"),
]);

/** EndpointSlices. */
export const endpointSliceTable = createRowTable([
  nameColumn,
  textColumn("AddressType", (row) => textIn(row, "addressType")),
  textColumn("Ports", (row) => joinFirst(partsIn(row, "ports").map(endpointPort), maxShownCount) || "<unset>"),
  textColumn("Endpoints", endpointAddresses),
  ageColumn,
]);

/** Ingresses. */
export const ingressTable = createRowTable([
  nameColumn,
  textColumn("Class", (row) => (isTrueIn(row, "classAnnotation") ? "<none>" : textIn(row, "class") || "<none>")),
  textColumn("Hosts", ingressHosts),
  textColumn("Address", (row) => sortedSet(listIn(row, "addresses") ?? []).join(",")),
  textColumn("Ports", (row) => (isTrueIn(row, "tls") ? "80, 443" : "80")),
  ageColumn,
]);

function externalAddress(row: RowContent): string {
  const addresses = listIn(row, "addresses") ?? [];
  const externalCount = countIn(row, "externalIpCount");
  const external = addresses.slice(0, externalCount);
  switch (textIn(row, "type")) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [...sortedSet(addresses.slice(externalCount)), ...external].join(",") || "<pending>";
    case "ExternalName":
      return textIn(row, "externalName");
    default:
      return "<unknown>";
  }
}

function sortedSet(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== ""))].sort(compareUtf8);
}

function servicePort(port: unknown): string {
  const nodePort = integerOf(port, "nodePort") ?? 0;
  return `${integerOf(port, "port") ?? 0}${nodePort > 0 ? `:${nodePort}` : ""}/${textOf(port, "protocol") ?? ""}`;
}

/** A port without a number is that of its name; one without both stands for all ports. */
function endpointPort(port: unknown): string {
  return String(integerOf(port, "port") ?? textOf(port, "name") ?? "*");
}

/** Endpoints that the row had no room for count as one address each. */
function endpointAddresses(row: RowContent): string {
  const endpoints = partsIn(row, "endpoints");
  const addresses = endpoints.flatMap((endpoint) => textsOf(endpoint, "addresses"));
  const cutCount = Math.max(0, countIn(row, "endpointCount") - endpoints.length);
  return joinFirst(addresses, maxShownCount, { count: addresses.length + cutCount }) || "<unset>";
}

/** Rules without a host are not shown, but count among the omitted ones. */
function ingressHosts(row: RowContent): string {
  const rules = listIn(row, "ruleHosts") ?? listIn(row, "hosts") ?? [];
  const shown: string[] = [];
  for (const host of rules) {
    if (shown.length === maxShownCount) return `${shown.join(",")} + ${rules.length - maxShownCount} more...`;
    if (host !== "") shown.push(host);
  }
  return shown.join(",") || "*";
}
