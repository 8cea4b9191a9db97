// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type ConnectionPoolSchema,
  type DestinationRule,
  DestinationRuleSchema,
  type OutlierDetectionSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { ObjectHead } from "./object-head.ts";
import type { Fields } from "./row-fields.ts";

/** The message of a DestinationRule's row (N-13). */
export function toDestinationRule(columns: Fields, head: ObjectHead): DestinationRule {
  const [pool] = columns.parts("connectionPool");
  const [detection] = columns.parts("outlierDetection");
  return create(DestinationRuleSchema, {
    ...head,
    host: columns.text("host"),
    subsets: columns.parts("subsets").map((subset) => ({
      name: subset.text("name"),
      labels: subset.pairs("labels"),
      overrides: subset.texts("overrides"),
    })),
    loadBalancer: columns.text("loadBalancer"),
    connectionPool: pool === undefined ? undefined : toConnectionPool(pool),
    outlierDetection: detection === undefined ? undefined : toOutlierDetection(detection),
    tlsMode: columns.text("tlsMode"),
    portPolicies: columns
      .parts("portPolicies")
      .map((policy) => ({ port: policy.int32("port"), overrides: policy.texts("overrides") })),
    exportTo: columns.texts("exportTo"),
    workloadSelector: columns.pairs("selector"),
    defaulted: columns.texts("defaulted"),
  });
}

function toConnectionPool(pool: Fields): MessageInitShape<typeof ConnectionPoolSchema> {
  return {
    maxConnections: pool.int32("maxConnections"),
    connectTimeout: pool.text("connectTimeout"),
    maxConnectionDuration: pool.text("maxConnectionDuration"),
    http1MaxPendingRequests: pool.int32("http1MaxPendingRequests"),
    http2MaxRequests: pool.int32("http2MaxRequests"),
    maxRequestsPerConnection: pool.int32("maxRequestsPerConnection"),
    maxRetries: pool.int32("maxRetries"),
    maxConcurrentStreams: pool.int32("maxConcurrentStreams"),
    idleTimeout: pool.text("idleTimeout"),
    h2UpgradePolicy: pool.text("h2UpgradePolicy"),
  };
}

function toOutlierDetection(detection: Fields): MessageInitShape<typeof OutlierDetectionSchema> {
  return {
    consecutiveErrors: detection.int32("consecutiveErrors"),
    consecutive5xxErrors: detection.uint32("consecutive5xxErrors"),
    consecutiveGatewayErrors: detection.uint32("consecutiveGatewayErrors"),
    consecutiveLocalOriginFailures: detection.uint32("consecutiveLocalOriginFailures"),
    splitExternalLocalOriginErrors: detection.truth("splitExternalLocalOriginErrors"),
    interval: detection.text("interval"),
    baseEjectionTime: detection.text("baseEjectionTime"),
    maxEjectionPercent: detection.int32("maxEjectionPercent"),
    minHealthPercent: detection.int32("minHealthPercent"),
  };
}
