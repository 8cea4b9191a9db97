// SPDX-License-Identifier: Apache-2.0
// The Pods behind a Service, as EndpointSlice and as Endpoints.

import { type DraftObject, type JsonObject } from "../../apiserver/json/json.ts";
import { objectAt, objectsAt, textOf } from "../../apiserver/json/json-fields.ts";
import { createLabelMatcher } from "../../apiserver/metadata/label-selector-object.ts";
import { countAt, isTerminating, labelsOf, nameOf, namespaceOf, uidOf, withoutEmpty } from "./object-parts.ts";
import { isFinished, isReady } from "./pod-facts.ts";

/** A Pod behind a Service. */
export interface Backend {
  readonly pod: JsonObject;
  readonly isReady: boolean;
}

/** Pods that a Service selects and that have an address, in key order; undefined for a Service without a selector. */
export function backendsOf(service: JsonObject, pods: readonly JsonObject[]): readonly Backend[] | undefined {
  const selector = objectAt(service, "spec", "selector");
  if (selector === undefined || Object.keys(selector).length === 0) return undefined;
  if (textOf(service, "spec", "type") === "ExternalName") return undefined;
  const matches = createLabelMatcher({ matchLabels: selector });
  const takesUnready = objectAt(service, "spec")?.["publishNotReadyAddresses"] === true;
  return pods
    .filter((pod) => matches(labelsOf(pod)) && textOf(pod, "status", "podIP") !== "" && !isFinished(pod))
    .map((pod) => ({ pod, isReady: takesUnready || (isReady(pod) && !isTerminating(pod)) }));
}

/** The Service's ports as target ports. A named port is looked up in the first Pod. */
function portsOf(service: JsonObject, backends: readonly Backend[]): DraftObject[] {
  return objectsAt(service, "spec", "ports").flatMap((port) => {
    const target = port["targetPort"];
    const number =
      typeof target === "string"
        ? namedPort(backends[0]?.pod, target)
        : (countAt(port, "targetPort") ?? countAt(port, "port"));
    if (number === undefined) return [];
    const appProtocol = textOf(port, "appProtocol");
    return [
      {
        name: textOf(port, "name"),
        port: number,
        protocol: textOf(port, "protocol") || "TCP",
        ...withoutEmpty({ appProtocol }),
      },
    ];
  });
}

function namedPort(pod: JsonObject | undefined, name: string): number | undefined {
  const containers = pod === undefined ? [] : objectsAt(pod, "spec", "containers");
  const port = containers.flatMap((each) => objectsAt(each, "ports")).find((each) => textOf(each, "name") === name);
  return port === undefined ? undefined : countAt(port, "containerPort");
}

function targetRef(pod: JsonObject): DraftObject {
  return { kind: "Pod", namespace: namespaceOf(pod), name: nameOf(pod), uid: uidOf(pod) };
}

/** The content of the Service's EndpointSlice. */
export function sliceContent(
  service: JsonObject,
  backends: readonly Backend[],
  zoneOf: (node: string) => string,
): DraftObject {
  return {
    addressType: "IPv4",
    endpoints: backends.map(({ pod, isReady: isServing }) => {
      const node = textOf(pod, "spec", "nodeName");
      const zone = zoneOf(node);
      const isTerminatingPod = isTerminating(pod);
      return {
        addresses: [textOf(pod, "status", "podIP")],
        conditions: {
          ready: isServing,
          serving: isServing || (isTerminatingPod && isReady(pod)),
          terminating: isTerminatingPod,
        },
        targetRef: targetRef(pod),
        ...(node === "" ? {} : { nodeName: node }),
        ...(zone === "" ? {} : { zone }),
      };
    }),
    ports: portsOf(service, backends),
  };
}

/** The subsets of the Service's Endpoints object. */
export function endpointSubsets(service: JsonObject, backends: readonly Backend[]): DraftObject[] {
  const living = backends.filter(({ pod, isReady: isServing }) => isServing || !isTerminating(pod));
  const addresses = (wanted: boolean): DraftObject[] =>
    living
      .filter(({ isReady: isServing }) => isServing === wanted)
      .map(({ pod }) => {
        const node = textOf(pod, "spec", "nodeName");
        return {
          ip: textOf(pod, "status", "podIP"),
          ...(node === "" ? {} : { nodeName: node }),
          targetRef: targetRef(pod),
        };
      });
  if (living.length === 0) return [];
  const ports = portsOf(service, backends).map(({ name, ...rest }) => ({ ...withoutEmpty({ name }), ...rest }));
  return [withoutEmpty({ addresses: addresses(true), notReadyAddresses: addresses(false), ports })];
}
