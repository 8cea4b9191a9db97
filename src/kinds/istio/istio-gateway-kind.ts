// SPDX-License-Identifier: Apache-2.0
import { booleanOf, integerOf, listOf, textMapOf, textOf, textsOf } from "../fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { selectorTexts } from "../service-kind.ts";
import { istioStatus } from "./istio-status.ts";

/**
 * Istio's Gateways: what the selected proxies listen on (N-14). Of certificates only the name of the Secret is
 * collected.
 */
export const istioGatewayKind: Kind = {
  resource: { group: "networking.istio.io", resource: "gateways" },
  kind: "Gateway",
  versions: ["v1", "v1beta1", "v1alpha3"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [
    { name: "direction", type: "string", isMain: true },
    { name: "selector", type: "stringList", isMain: true },
    { name: "hosts", type: "stringList", isMain: true },
    { name: "servers", type: "stringList", isJson: true },
  ],
  project: projectGateway,
};

function projectGateway(object: unknown): Projected {
  const columns: Columns = new Map();
  const selector = textMapOf(object, "spec", "selector");
  const servers = listOf(object, "spec", "servers");
  setColumn(columns, "direction", directionOf(selector));
  setColumn(columns, "selector", selectorTexts(selector));
  setColumn(columns, "hosts", Array.from(new Set(servers.flatMap((server) => textsOf(server, "hosts")))));
  setColumn(columns, "servers", jsonTexts(servers.map(toServer)));
  return { columns, ...istioStatus(object) };
}

/**
 * `ingress` or `egress` by the proxies' labels, as on Istio's own gateways (`istio: ingressgateway`). The object itself
 * has no such field, so the direction is absent if the labels do not show it.
 */
function directionOf(selector: ReadonlyMap<string, string>): "ingress" | "egress" | undefined {
  const values = [...selector.values()];
  if (values.some((value) => value.includes("egress"))) return "egress";
  return values.some((value) => value.includes("ingress")) ? "ingress" : undefined;
}

function toServer(server: unknown): Readonly<Record<string, unknown>> {
  return {
    name: textOf(server, "name"),
    port: integerOf(server, "port", "number"),
    portName: textOf(server, "port", "name"),
    protocol: textOf(server, "port", "protocol"),
    bind: textOf(server, "bind"),
    hosts: textsOf(server, "hosts"),
    tlsMode: textOf(server, "tls", "mode"),
    credentialName: textOf(server, "tls", "credentialName"),
    httpsRedirect: booleanOf(server, "tls", "httpsRedirect"),
  };
}
