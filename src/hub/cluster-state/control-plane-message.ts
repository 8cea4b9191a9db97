// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import {
  type IstioControlPlaneConfig,
  IstioControlPlaneConfigSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { ObjectHead } from "./object-head.ts";
import type { Fields } from "./row-fields.ts";

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
