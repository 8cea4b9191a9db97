// SPDX-License-Identifier: Apache-2.0
// Istio's control planes, Sidecars, EnvoyFilters, WasmPlugins and Telemetries as messages (N-16, N-17, N-20, N-21).
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type EnvoyFilter,
  EnvoyFilterSchema,
  type IstioControlPlaneConfig,
  IstioControlPlaneConfigSchema,
  type Sidecar,
  type SidecarListenerSchema,
  SidecarSchema,
  type Telemetry,
  TelemetrySchema,
  type WasmPlugin,
  WasmPluginSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { ObjectHead } from "./object-head.ts";
import type { Fields } from "./row-fields.ts";
import { toSelection } from "./selector-columns.ts";

/** The message of a control plane's row (N-21). */
export function toControlPlaneConfig(columns: Fields, head: ObjectHead): IstioControlPlaneConfig {
  return create(IstioControlPlaneConfigSchema, {
    ...head,
    revision: columns.text("revision"),
    version: columns.text("version"),
    rootNamespace: columns.text("rootNamespace"),
    clusterId: columns.text("clusterId"),
    pilotScopeGatewayToNamespace: columns.truth("pilotScopeGatewayToNamespace") ?? false,
  });
}

/** The message of a Sidecar's row. */
export function toSidecar(columns: Fields, head: ObjectHead): Sidecar {
  return create(SidecarSchema, {
    ...head,
    scope: columns.text("scope"),
    workloadSelector: columns.pairs("selector"),
    ingress: columns.parts("ingress").map(toListener),
    egress: columns.parts("egress").map(toListener),
    egressHosts: columns.texts("egressHosts"),
    outboundMode: columns.text("outboundMode"),
  });
}

function toListener(listener: Fields): MessageInitShape<typeof SidecarListenerSchema> {
  return {
    port: listener.int32("port"),
    portName: listener.text("portName"),
    protocol: listener.text("protocol"),
    bind: listener.text("bind"),
    captureMode: listener.text("captureMode"),
    defaultEndpoint: listener.text("defaultEndpoint"),
    tlsMode: listener.text("tlsMode"),
    hosts: listener.texts("hosts"),
  };
}

/** The message of an EnvoyFilter's row. */
export function toEnvoyFilter(columns: Fields, head: ObjectHead): EnvoyFilter {
  const { scope, selector, targetRefs } = toSelection(columns);
  return create(EnvoyFilterSchema, {
    ...head,
    scope,
    workloadSelector: selector,
    targetRefs,
    patches: columns.parts("patches").map((patch) => ({
      applyTo: patch.text("applyTo"),
      operation: patch.text("operation"),
      context: patch.text("context"),
    })),
    priority: columns.int32("priority"),
  });
}

/** The message of a WasmPlugin's row. */
export function toWasmPlugin(columns: Fields, head: ObjectHead): WasmPlugin {
  return create(WasmPluginSchema, {
    ...head,
    ...toSelection(columns),
    url: columns.text("url"),
    sha256: columns.text("sha256"),
    phase: columns.text("phase"),
    priority: columns.int32("priority"),
    pluginName: columns.text("pluginName"),
    failStrategy: columns.text("failStrategy"),
  });
}

/** The message of a Telemetry's row. */
export function toTelemetry(columns: Fields, head: ObjectHead): Telemetry {
  return create(TelemetrySchema, {
    ...head,
    ...toSelection(columns),
    signals: columns.parts("signals").map((signal) => ({
      signal: signal.text("signal"),
      providers: signal.texts("providers"),
      disabled: signal.truth("disabled"),
    })),
  });
}
