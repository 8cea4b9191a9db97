// SPDX-License-Identifier: Apache-2.0
// Istio's VirtualServices, Gateways and ServiceEntries as messages: traffic routing (N-12, N-14, N-15).
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type Gateway,
  GatewaySchema,
  type GatewayServerSchema,
  type RouteDestinationSchema,
  type RouteMatchSchema,
  type RouteSchema,
  type ServiceEntry,
  type ServiceEntryPortSchema,
  ServiceEntrySchema,
  type VirtualService,
  VirtualServiceSchema,
  type WorkloadEndpointSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { ObjectHead } from "./object-head.ts";
import type { Fields } from "./row-fields.ts";

/** The message of a VirtualService's row. */
export function toVirtualService(columns: Fields, head: ObjectHead): VirtualService {
  return create(VirtualServiceSchema, {
    ...head,
    hosts: columns.texts("hosts"),
    gateways: columns.texts("gateways"),
    exportTo: columns.texts("exportTo"),
    destinations: columns.parts("destinations").map(toDestination),
    routes: columns.parts("routes").map(toRoute),
    defaulted: columns.texts("defaulted"),
  });
}

function toDestination(destination: Fields): MessageInitShape<typeof RouteDestinationSchema> {
  return {
    route: destination.text("route"),
    host: destination.text("host"),
    subset: destination.text("subset"),
    port: destination.int32("port"),
    weight: destination.int32("weight"),
    isMirror: destination.truth("isMirror") ?? false,
  };
}

function toRoute(route: Fields): MessageInitShape<typeof RouteSchema> {
  return {
    route: route.text("route"),
    name: route.text("name"),
    matches: route.parts("matches").map(toMatch),
    action: route.text("action"),
    timeout: route.text("timeout"),
    attempts: route.int32("attempts"),
  };
}

function toMatch(match: Fields): MessageInitShape<typeof RouteMatchSchema> {
  return {
    name: match.text("name"),
    uri: match.text("uri"),
    method: match.text("method"),
    authority: match.text("authority"),
    headers: match.texts("headers"),
    queryParams: match.texts("queryParams"),
    sniHosts: match.texts("sniHosts"),
    destinationSubnets: match.texts("destinationSubnets"),
    port: match.int32("port"),
    gateways: match.texts("gateways"),
    sourceNamespace: match.text("sourceNamespace"),
  };
}

/** The message of a Gateway's row. */
export function toGateway(columns: Fields, head: ObjectHead): Gateway {
  return create(GatewaySchema, {
    ...head,
    direction: columns.text("direction"),
    selector: columns.pairs("selector"),
    servers: columns.parts("servers").map(toServer),
    hosts: columns.texts("hosts"),
  });
}

function toServer(server: Fields): MessageInitShape<typeof GatewayServerSchema> {
  return {
    name: server.text("name"),
    port: server.int32("port"),
    portName: server.text("portName"),
    protocol: server.text("protocol"),
    bind: server.text("bind"),
    hosts: server.texts("hosts"),
    tlsMode: server.text("tlsMode"),
    credentialName: server.text("credentialName"),
    httpsRedirect: server.truth("httpsRedirect"),
  };
}

/** The message of a ServiceEntry's row. */
export function toServiceEntry(columns: Fields, head: ObjectHead): ServiceEntry {
  return create(ServiceEntrySchema, {
    ...head,
    hosts: columns.texts("hosts"),
    addresses: columns.texts("addresses"),
    ports: columns.parts("ports").map(toPort),
    location: columns.text("location"),
    resolution: columns.text("resolution"),
    exportTo: columns.texts("exportTo"),
    endpoints: columns.parts("endpoints").map(toWorkload),
    workloadSelector: columns.pairs("selector"),
    defaulted: columns.texts("defaulted"),
  });
}

function toPort(port: Fields): MessageInitShape<typeof ServiceEntryPortSchema> {
  return {
    number: port.int32("number"),
    name: port.text("name"),
    protocol: port.text("protocol"),
    targetPort: port.int32("targetPort"),
  };
}

function toWorkload(endpoint: Fields): MessageInitShape<typeof WorkloadEndpointSchema> {
  return {
    address: endpoint.text("address"),
    network: endpoint.text("network"),
    locality: endpoint.text("locality"),
    weight: endpoint.uint32("weight"),
    labels: endpoint.pairs("labels"),
  };
}
