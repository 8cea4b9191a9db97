// SPDX-License-Identifier: Apache-2.0
// Services, EndpointSlices and Pods as messages (N-9 to N-11).
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type ContainerSchema,
  type EndpointPortSchema,
  type EndpointSchema,
  type EndpointSlice,
  EndpointSliceSchema,
  type Pod,
  PodSchema,
  type Service,
  type ServicePortSchema,
  ServiceSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { ObjectHead } from "./object-head.ts";
import type { Fields } from "./row-fields.ts";

/** The message of a Service's row. */
export function toService(columns: Fields, head: ObjectHead): Service {
  return create(ServiceSchema, {
    ...head,
    type: columns.text("type"),
    selector: columns.pairs("selector"),
    ports: columns.parts("ports").map(toServicePort),
    clusterIps: columns.texts("clusterIps"),
    addresses: columns.texts("addresses"),
    externalName: columns.text("externalName"),
  });
}

function toServicePort(port: Fields): MessageInitShape<typeof ServicePortSchema> {
  return {
    name: port.text("name"),
    protocol: port.text("protocol"),
    port: port.int32("port"),
    target: toTarget(port.integerOrText("targetPort")),
    nodePort: port.int32("nodePort"),
  };
}

function toTarget(target: number | string | undefined): Service["ports"][number]["target"] {
  if (target === undefined) return { case: undefined };
  return typeof target === "number" ? { case: "targetPort", value: target } : { case: "targetPortName", value: target };
}

/** The message of an EndpointSlice's row. */
export function toEndpointSlice(columns: Fields, head: ObjectHead): EndpointSlice {
  return create(EndpointSliceSchema, {
    ...head,
    service: columns.text("service"),
    addressType: columns.text("addressType"),
    ports: columns.parts("ports").map(toEndpointPort),
    endpoints: columns.parts("endpoints").map(toEndpoint),
    readyCount: columns.uint32("readyCount") ?? 0,
    endpointCount: columns.uint32("endpointCount") ?? 0,
  });
}

function toEndpointPort(port: Fields): MessageInitShape<typeof EndpointPortSchema> {
  return {
    name: port.text("name"),
    protocol: port.text("protocol"),
    port: port.int32("port"),
    appProtocol: port.text("appProtocol"),
  };
}

function toEndpoint(endpoint: Fields): MessageInitShape<typeof EndpointSchema> {
  return {
    addresses: endpoint.texts("addresses"),
    ready: endpoint.truth("ready") ?? false,
    serving: endpoint.truth("serving"),
    terminating: endpoint.truth("terminating"),
    targetKind: endpoint.text("targetKind"),
    targetNamespace: endpoint.text("targetNamespace"),
    targetName: endpoint.text("targetName"),
    node: endpoint.text("node"),
    zone: endpoint.text("zone"),
  };
}

/** The message of a Pod's row. */
export function toPod(columns: Fields, head: ObjectHead): Pod {
  return create(PodSchema, {
    ...head,
    phase: columns.text("phase"),
    ready: columns.text("ready"),
    restarts: columns.uint32("restarts") ?? 0,
    node: columns.text("node"),
    podIps: columns.texts("podIps"),
    qos: columns.text("qos"),
    containers: columns.parts("containers").map(toContainer),
    initContainers: columns.parts("initContainers").map(toContainer),
  });
}

function toContainer(container: Fields): MessageInitShape<typeof ContainerSchema> {
  return {
    name: container.text("name"),
    image: container.text("image"),
    ready: container.truth("ready") ?? false,
    restarts: container.uint32("restarts") ?? 0,
    state: container.text("state"),
    reason: container.text("reason"),
    exitCode: container.int32("exitCode"),
    lastReason: container.text("lastReason"),
    lastExitCode: container.int32("lastExitCode"),
  };
}
