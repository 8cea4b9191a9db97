// SPDX-License-Identifier: Apache-2.0
// Objects of the kinds that the server shows in two shapes.

import { isObject, type Json, type JsonObject } from "../../../src/apiserver/json/json.ts";
import { objectAt } from "../../../src/apiserver/json/json-fields.ts";

const target = { kind: "Deployment", name: "web", apiVersion: "apps/v1" };
const labels = { matchLabels: { a: "b" } };
const service = { kind: "Service", name: "s" };
const time = "2024-01-01T00:00:00Z";

/** An autoscaler with every sort of metric and a behavior. CPU comes last, where v1 puts it. */
export const richAutoscaler: JsonObject = {
  metadata: { name: "rich", annotations: { a: "b" } },
  spec: {
    scaleTargetRef: target,
    maxReplicas: 3,
    metrics: [
      { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
      {
        type: "Pods",
        pods: { metric: { name: "r", selector: labels }, target: { type: "AverageValue", averageValue: "5" } },
      },
      {
        type: "External",
        external: { metric: { name: "q", selector: labels }, target: { type: "Value", value: "7" } },
      },
      { type: "External", external: { metric: { name: "q" }, target: { type: "AverageValue", averageValue: "7" } } },
      {
        type: "Object",
        object: { describedObject: service, metric: { name: "m" }, target: { type: "Value", value: "9" } },
      },
      {
        type: "Object",
        object: {
          describedObject: service,
          metric: { name: "m" },
          target: { type: "AverageValue", averageValue: "9" },
        },
      },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 60 } },
      },
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 55 } } },
    ],
    behavior: { scaleUp: { tolerance: "100m" }, scaleDown: { selectPolicy: "Disabled" } },
  },
};

/** What a controller measured. */
export const richStatus: JsonObject = {
  observedGeneration: 1,
  lastScaleTime: time,
  currentReplicas: 1,
  desiredReplicas: 2,
  conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: time, reason: "r", message: "m" }],
  currentMetrics: [
    { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 11, averageValue: "5m" } } },
    { type: "Pods", pods: { metric: { name: "r" }, current: { averageValue: "3" } } },
    { type: "External", external: { metric: { name: "q" }, current: { value: "3", averageValue: "1" } } },
    { type: "Object", object: { describedObject: service, metric: { name: "m" }, current: { value: "3" } } },
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "c", current: { averageValue: "3", averageUtilization: 4 } },
    },
  ],
};

const about = { kind: "Pod", namespace: "default", name: "p" };

/** Events of the core group: of the old sort, of the new sort, and with hardly anything. */
export const sharedEvents: readonly JsonObject[] = [
  {
    involvedObject: about,
    reason: "R",
    message: "m",
    source: { component: "kubelet", host: "h" },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 3,
    type: "Normal",
  },
  {
    involvedObject: about,
    eventTime: "2024-01-01T00:00:00.123456Z",
    reason: "R",
    action: "A",
    type: "Warning",
    related: { kind: "Node", name: "n" },
    reportingComponent: "example.com/c",
    reportingInstance: "c-1",
    series: { count: 2, lastObservedTime: "2024-01-01T00:00:01.000000Z" },
  },
  { involvedObject: { namespace: "default" } },
];

/** The value without that key. */
export function withoutKey(value: Json | undefined, key: string): JsonObject {
  if (!isObject(value)) return {};
  const { [key]: _dropped, ...rest } = value;
  return rest;
}

/** The object with what the server says of when and by whom it was written. */
export function withVersion(object: JsonObject, other: JsonObject): JsonObject {
  const { resourceVersion = null, managedFields } = objectAt(other, "metadata") ?? {};
  const metadata = withoutKey(object["metadata"], "managedFields");
  return {
    ...object,
    metadata: { ...metadata, resourceVersion, ...(managedFields === undefined ? {} : { managedFields }) },
  };
}
