// SPDX-License-Identifier: Apache-2.0
// The Service `kubernetes`, by which Pods reach the API server, and its endpoints.
import { parseAddressRange } from "../builtin/core/service-addresses.ts";
import type { JsonObject } from "../json/json.ts";

/** The address of the API server. */
export interface ServerAddress {
  readonly ip: string;
  readonly port: number;
}

const metadata = { name: "kubernetes", namespace: "default" };

/** The port for Pods, independent of the server's own. */
const servicePort = 443;

/** The first address of an IPv4 range. */
export function firstAddress(range: string): string {
  const { first } = parseAddressRange(range);
  return [24, 16, 8, 0].map((shift) => (first >>> shift) & 255).join(".");
}

/** The Service at its cluster IP: by convention the first address of the range. */
export function kubernetesService(clusterIp: string, targetPort: number): JsonObject {
  return {
    metadata: { ...metadata, labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      type: "ClusterIP",
      clusterIP: clusterIp,
      clusterIPs: [clusterIp],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
      sessionAffinity: "None",
      ports: [{ name: "https", protocol: "TCP", port: servicePort, targetPort }],
    },
  };
}

/** Endpoints cannot be loopback addresses: Pods cannot reach them, and the API refuses them. */
export function canBeEndpoint({ ip }: ServerAddress): boolean {
  return !ip.startsWith("127.") && ip !== "::1";
}

/** The Endpoints of the Service, labelled so that they are not mirrored to an EndpointSlice. */
export function kubernetesEndpoints({ ip, port }: ServerAddress): JsonObject {
  return {
    metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip }], ports: [{ name: "https", port, protocol: "TCP" }] }],
  };
}

/** The EndpointSlice of the Service. */
export function kubernetesEndpointSlice({ ip, port }: ServerAddress): JsonObject {
  return {
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": metadata.name } },
    addressType: ip.includes(":") ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: "https", protocol: "TCP", port }],
  };
}
