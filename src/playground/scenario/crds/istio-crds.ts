// SPDX-License-Identifier: Apache-2.0
// Istio's networking kinds with their commonly used fields. Rarely used parts are `open`: they accept any content.
import type { DraftObject } from "../../../apiserver/json/json.ts";
import { conditions, flag, integer, listOf, makeCrd, mapOf, oneOf, open, record, text, texts } from "./schema-parts.ts";

const group = "networking.istio.io";
const version = "v1";
const categories = ["istio-io", "networking-istio-io"];
const age = ["Age", ".metadata.creationTimestamp", "date"] as const;

const status = record({
  conditions,
  observedGeneration: integer,
  validationMessages: listOf(record({ type: record({ name: text, code: text }), level: text, documentationUrl: text })),
});

const destination = record({ host: text, subset: text, port: record({ number: integer }) }, ["host"]);
const weighted = listOf(record({ destination, weight: integer, headers: open }, ["destination"]));
const stringMatch = record({ exact: text, prefix: text, regex: text });

const httpRoute = record({
  name: text,
  match: listOf(
    record({
      name: text,
      uri: stringMatch,
      method: stringMatch,
      authority: stringMatch,
      headers: mapOf(stringMatch),
      queryParams: mapOf(stringMatch),
      sourceLabels: mapOf(text),
      gateways: texts,
      port: integer,
      ignoreUriCase: flag,
    }),
  ),
  route: weighted,
  redirect: open,
  rewrite: record({ uri: text, authority: text }),
  timeout: text,
  retries: record({ attempts: integer, perTryTimeout: text, retryOn: text }),
  fault: open,
  mirror: destination,
  corsPolicy: open,
  headers: open,
});

const trafficPolicy = record({
  loadBalancer: open,
  connectionPool: open,
  outlierDetection: open,
  tls: record({ mode: oneOf("DISABLE", "SIMPLE", "MUTUAL", "ISTIO_MUTUAL"), caCertificates: text, sni: text }),
  portLevelSettings: listOf(open),
});

const port = record({ number: integer, name: text, protocol: text, targetPort: integer }, ["number", "name"]);

/** VirtualService, DestinationRule, Gateway and ServiceEntry. */
export const istioCrds: readonly DraftObject[] = [
  makeCrd({
    group,
    version,
    kind: "VirtualService",
    plural: "virtualservices",
    shortNames: ["vs"],
    categories,
    spec: record({
      hosts: texts,
      gateways: texts,
      http: listOf(httpRoute),
      tls: listOf(record({ match: listOf(open), route: weighted })),
      tcp: listOf(record({ match: listOf(open), route: weighted })),
      exportTo: texts,
    }),
    status,
    columns: [["Gateways", ".spec.gateways"], ["Hosts", ".spec.hosts"], age],
  }),
  makeCrd({
    group,
    version,
    kind: "DestinationRule",
    plural: "destinationrules",
    shortNames: ["dr"],
    categories,
    spec: record(
      {
        host: text,
        trafficPolicy,
        subsets: listOf(record({ name: text, labels: mapOf(text), trafficPolicy }, ["name"])),
        exportTo: texts,
        workloadSelector: record({ matchLabels: mapOf(text) }),
      },
      ["host"],
    ),
    status,
    columns: [["Host", ".spec.host"], age],
  }),
  makeCrd({
    group,
    version,
    kind: "Gateway",
    plural: "gateways",
    shortNames: ["gw"],
    categories,
    spec: record({
      selector: mapOf(text),
      servers: listOf(
        record(
          {
            name: text,
            bind: text,
            hosts: texts,
            port,
            tls: record({
              mode: oneOf("PASSTHROUGH", "SIMPLE", "MUTUAL", "AUTO_PASSTHROUGH", "ISTIO_MUTUAL", "OPTIONAL_MUTUAL"),
              credentialName: text,
              httpsRedirect: flag,
              minProtocolVersion: text,
            }),
          },
          ["hosts", "port"],
        ),
      ),
    }),
    status,
  }),
  makeCrd({
    group,
    version,
    kind: "ServiceEntry",
    plural: "serviceentries",
    shortNames: ["se"],
    categories,
    spec: record(
      {
        hosts: texts,
        addresses: texts,
        ports: listOf(port),
        location: oneOf("MESH_EXTERNAL", "MESH_INTERNAL"),
        resolution: oneOf("NONE", "STATIC", "DNS", "DNS_ROUND_ROBIN", "DYNAMIC_DNS"),
        endpoints: listOf(open),
        workloadSelector: open,
        exportTo: texts,
        subjectAltNames: texts,
      },
      ["hosts"],
    ),
    status,
    columns: [["Hosts", ".spec.hosts"], ["Location", ".spec.location"], ["Resolution", ".spec.resolution"], age],
  }),
];
