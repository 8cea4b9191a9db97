// SPDX-License-Identifier: Apache-2.0
// The Service `kubernetes`, by which Pods find the API server, and where it leads.
import { parseAddressRange } from "../builtin/core/service-addresses.ts";
import type { JsonObject } from "../json/json.ts";

/** Where the API server answers. */
export interface ServerAddress {
  readonly ip: string;
  readonly port: number;
}

const metadata = { name: "kubernetes", namespace: "default" };

/** The port that Pods use, whatever the server's own is. */
const servicePort = 443;

/** The first address of a range of IPv4 addresses. */
export function firstAddress(range: string): string {
  const { first } = parseAddressRange(range);
  return [24, 16, 8, 0].map((shift) => (first >>> shift) & 255).join(".");
}

/** The Service at its cluster address: the first of the range, by convention. */
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

/** Endpoints do not lead to loopback addresses: no Pod could follow, and the API refuses them. */
export function canBeEndpoint({ ip }: ServerAddress): boolean {
  return !ip.startsWith("127.") && ip !== "::1";
}

/** The old form of where the Service leads; marked so that nobody makes a slice from it. */
export function kubernetesEndpoints({ ip, port }: ServerAddress): JsonObject {
  return {
    metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip }], ports: [{ name: "https", port, protocol: "TCP" }] }],
  };
}

/** Where the Service leads. */
export function kubernetesEndpointSlice({ ip, port }: ServerAddress): JsonObject {
  return {
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": metadata.name } },
    addressType: ip.includes(":") ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: "https", protocol: "TCP", port }],
  };
}
