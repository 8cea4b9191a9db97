// SPDX-License-Identifier: Apache-2.0
// The kinds that have a list in ClusterState, and how a row becomes an element of it.
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import {
  AuthorizationPolicySchema,
  type ClusterState,
  DestinationRuleSchema,
  EndpointSliceSchema,
  EnvoyFilterSchema,
  GatewaySchema,
  IstioControlPlaneConfigSchema,
  PeerAuthenticationSchema,
  PodSchema,
  RequestAuthenticationSchema,
  ServiceEntrySchema,
  ServiceSchema,
  SidecarSchema,
  TelemetrySchema,
  VirtualServiceSchema,
  WasmPluginSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { endpointSliceKind } from "../../kinds/endpoint-slice-kind.ts";
import { authorizationPolicyKind } from "../../kinds/istio/authorization-policy-kind.ts";
import { istioControlPlaneKind } from "../../kinds/istio/control-plane.ts";
import { destinationRuleKind } from "../../kinds/istio/destination-rule-kind.ts";
import { envoyFilterKind } from "../../kinds/istio/envoy-filter-kind.ts";
import { istioGatewayKind } from "../../kinds/istio/istio-gateway-kind.ts";
import { peerAuthenticationKind } from "../../kinds/istio/peer-authentication-kind.ts";
import { requestAuthenticationKind } from "../../kinds/istio/request-authentication-kind.ts";
import { serviceEntryKind } from "../../kinds/istio/service-entry-kind.ts";
import { sidecarKind } from "../../kinds/istio/sidecar-kind.ts";
import { telemetryKind } from "../../kinds/istio/telemetry-kind.ts";
import { virtualServiceKind } from "../../kinds/istio/virtual-service-kind.ts";
import { wasmPluginKind } from "../../kinds/istio/wasm-plugin-kind.ts";
import type { Kind } from "../../kinds/kind.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { serviceKind } from "../../kinds/service-kind.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { RowContent } from "../../model/rows/row.ts";
import { toEndpointSlice, toPod, toService } from "./core-messages.ts";
import { toDestinationRule } from "./destination-rule-message.ts";
import { type ObjectHead, toObjectHead } from "./object-head.ts";
import { toControlPlaneConfig, toEnvoyFilter, toSidecar, toTelemetry, toWasmPlugin } from "./proxy-messages.ts";
import { Fields, ReadFaults } from "./row-fields.ts";
import { toAuthorizationPolicy, toPeerAuthentication, toRequestAuthentication } from "./security-messages.ts";
import { listElement, type StatePiece } from "./state-chunks.ts";
import { toGateway, toServiceEntry, toVirtualService } from "./traffic-messages.ts";

/** One row as an element of its list. */
export interface ReadRow {
  readonly piece: StatePiece;
  /** The first value that could not be read; undefined when the whole row was. */
  readonly fault: string | undefined;
  readonly isCut: boolean;
}

/** One list of ClusterState and the kind that fills it. */
export interface KindList {
  /** The text of the kind's resource id. */
  readonly resource: string;
  readonly kind: string;
  /** Never throws: the element contains the readable values of the row. */
  readRow(row: RowContent): ReadRow;
}

function listOf<D extends DescMessage>(
  { resource, kind }: Pick<Kind, "resource" | "kind">,
  schema: D,
  toMessage: (columns: Fields, head: ObjectHead) => MessageShape<D>,
  listIn: (state: ClusterState) => MessageShape<D>[],
): KindList {
  return {
    resource: resourceIdText(resource),
    kind,
    readRow(row) {
      const faults = new ReadFaults();
      const columns = new Fields(row.columns, faults);
      const head = toObjectHead(row, columns, faults);
      const piece = listElement(schema, toMessage(columns, head), listIn);
      return { piece, fault: faults.first, isCut: head.object.cut.length > 0 };
    },
  };
}

const lists: readonly KindList[] = [
  listOf(serviceKind, ServiceSchema, toService, (state) => state.services),
  listOf(endpointSliceKind, EndpointSliceSchema, toEndpointSlice, (state) => state.endpointSlices),
  listOf(podKind, PodSchema, toPod, (state) => state.pods),
  listOf(virtualServiceKind, VirtualServiceSchema, toVirtualService, (state) => state.virtualServices),
  listOf(destinationRuleKind, DestinationRuleSchema, toDestinationRule, (state) => state.destinationRules),
  listOf(istioGatewayKind, GatewaySchema, toGateway, (state) => state.gateways),
  listOf(serviceEntryKind, ServiceEntrySchema, toServiceEntry, (state) => state.serviceEntries),
  listOf(sidecarKind, SidecarSchema, toSidecar, (state) => state.sidecars),
  listOf(envoyFilterKind, EnvoyFilterSchema, toEnvoyFilter, (state) => state.envoyFilters),
  listOf(peerAuthenticationKind, PeerAuthenticationSchema, toPeerAuthentication, (state) => state.peerAuthentications),
  listOf(
    requestAuthenticationKind,
    RequestAuthenticationSchema,
    toRequestAuthentication,
    (state) => state.requestAuthentications,
  ),
  listOf(
    authorizationPolicyKind,
    AuthorizationPolicySchema,
    toAuthorizationPolicy,
    (state) => state.authorizationPolicies,
  ),
  listOf(wasmPluginKind, WasmPluginSchema, toWasmPlugin, (state) => state.wasmPlugins),
  listOf(telemetryKind, TelemetrySchema, toTelemetry, (state) => state.telemetries),
  listOf(
    istioControlPlaneKind,
    IstioControlPlaneConfigSchema,
    toControlPlaneConfig,
    (state) => state.istioControlPlaneConfigs,
  ),
];

/** Every list of ClusterState by the text of its resource id, in the order of the message. */
export const kindLists: ReadonlyMap<string, KindList> = new Map(lists.map((list) => [list.resource, list]));
