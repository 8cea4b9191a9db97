// SPDX-License-Identifier: Apache-2.0
import { booleanOf, fieldOf, integerOf, isObject, listOf, textMapOf, textOf, textsOf } from "../fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { selectorTexts } from "../service-kind.ts";
import { defaultedColumn, setWithDefaults } from "./defaulted.ts";
import { istioStatus } from "./istio-status.ts";

type Part = Readonly<Record<string, unknown>>;

/**
 * DestinationRules: traffic policy applied after routing (N-13). The policy columns are those of the host. Subsets and
 * ports list the parts that they override.
 */
export const destinationRuleKind: Kind = {
  resource: { group: "networking.istio.io", resource: "destinationrules" },
  kind: "DestinationRule",
  versions: ["v1", "v1beta1", "v1alpha3"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [
    { name: "host", type: "string", isMain: true },
    { name: "subsets", type: "stringList", isJson: true, isMain: true },
    { name: "loadBalancer", type: "string", isMain: true },
    { name: "connectionPool", type: "stringList", isJson: true },
    { name: "outlierDetection", type: "stringList", isJson: true },
    { name: "tlsMode", type: "string" },
    { name: "portPolicies", type: "stringList", isJson: true },
    { name: "exportTo", type: "stringList" },
    { name: "selector", type: "stringList" },
    defaultedColumn,
  ],
  project: projectDestinationRule,
};

function projectDestinationRule(object: unknown): Projected {
  const columns: Columns = new Map();
  const policy = fieldOf(object, "spec", "trafficPolicy");
  setColumn(columns, "host", textOf(object, "spec", "host"));
  setColumn(columns, "subsets", jsonTexts(listOf(object, "spec", "subsets").map(toSubset)));
  setColumn(columns, "loadBalancer", loadBalancerOf(policy));
  setColumn(columns, "connectionPool", jsonTexts(one(fieldOf(policy, "connectionPool"), toConnectionPool)));
  setColumn(columns, "outlierDetection", jsonTexts(one(fieldOf(policy, "outlierDetection"), toOutlierDetection)));
  setColumn(columns, "tlsMode", textOf(policy, "tls", "mode"));
  setColumn(columns, "portPolicies", jsonTexts(listOf(policy, "portLevelSettings").map(toPortPolicy)));
  setWithDefaults(columns, { exportTo: [textsOf(object, "spec", "exportTo"), ["*"]] });
  setColumn(columns, "selector", selectorTexts(textMapOf(object, "spec", "workloadSelector", "matchLabels")));
  return { columns, ...istioStatus(object) };
}

function one(value: unknown, toPart: (value: unknown) => Part): readonly Part[] {
  return isObject(value) ? [toPart(value)] : [];
}

/** Parts of a traffic policy that a subset or port may override. */
const policyParts = ["loadBalancer", "connectionPool", "outlierDetection", "tls"] as const;

function overridesOf(policy: unknown): readonly string[] | undefined {
  const overrides = policyParts.filter((part) => isObject(fieldOf(policy, part)));
  return overrides.length === 0 ? undefined : overrides;
}

function toSubset(subset: unknown): Part {
  return {
    name: textOf(subset, "name"),
    labels: selectorTexts(textMapOf(subset, "labels")),
    overrides: overridesOf(fieldOf(subset, "trafficPolicy")),
  };
}

function toPortPolicy(setting: unknown): Part {
  return { port: integerOf(setting, "port", "number"), overrides: overridesOf(setting) };
}

/** The algorithm's name, or `CONSISTENT_HASH` and what is hashed. */
function loadBalancerOf(policy: unknown): string | undefined {
  const balancer = fieldOf(policy, "loadBalancer");
  const hash = fieldOf(balancer, "consistentHash");
  if (!isObject(hash)) return textOf(balancer, "simple");
  const header = textOf(hash, "httpHeaderName");
  if (header !== undefined) return `CONSISTENT_HASH header ${header}`;
  const cookie = textOf(hash, "httpCookie", "name");
  if (cookie !== undefined) return `CONSISTENT_HASH cookie ${cookie}`;
  const parameter = textOf(hash, "httpQueryParameterName");
  if (parameter !== undefined) return `CONSISTENT_HASH parameter ${parameter}`;
  return booleanOf(hash, "useSourceIp") === true ? "CONSISTENT_HASH source" : "CONSISTENT_HASH";
}

/** The limits under Istio's names. Of TCP and HTTP only idleTimeout shares a name; HTTP's value takes precedence. */
function toConnectionPool(pool: unknown): Part {
  return {
    maxConnections: integerOf(pool, "tcp", "maxConnections"),
    connectTimeout: textOf(pool, "tcp", "connectTimeout"),
    maxConnectionDuration: textOf(pool, "tcp", "maxConnectionDuration"),
    http1MaxPendingRequests: integerOf(pool, "http", "http1MaxPendingRequests"),
    http2MaxRequests: integerOf(pool, "http", "http2MaxRequests"),
    maxRequestsPerConnection: integerOf(pool, "http", "maxRequestsPerConnection"),
    maxRetries: integerOf(pool, "http", "maxRetries"),
    maxConcurrentStreams: integerOf(pool, "http", "maxConcurrentStreams"),
    idleTimeout: textOf(pool, "http", "idleTimeout") ?? textOf(pool, "tcp", "idleTimeout"),
    h2UpgradePolicy: textOf(pool, "http", "h2UpgradePolicy"),
  };
}

function toOutlierDetection(detection: unknown): Part {
  return {
    consecutiveErrors: integerOf(detection, "consecutiveErrors"),
    consecutive5xxErrors: integerOf(detection, "consecutive5xxErrors"),
    consecutiveGatewayErrors: integerOf(detection, "consecutiveGatewayErrors"),
    consecutiveLocalOriginFailures: integerOf(detection, "consecutiveLocalOriginFailures"),
    splitExternalLocalOriginErrors: booleanOf(detection, "splitExternalLocalOriginErrors"),
    interval: textOf(detection, "interval"),
    baseEjectionTime: textOf(detection, "baseEjectionTime"),
    maxEjectionPercent: integerOf(detection, "maxEjectionPercent"),
    minHealthPercent: integerOf(detection, "minHealthPercent"),
  };
}
