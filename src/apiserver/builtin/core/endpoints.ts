// SPDX-License-Identifier: Apache-2.0
import { countOf, getKey, type JsonObject, objectsAt, textOf } from "../../json/json.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, requiredValue } from "../../status/field-error.ts";
import { validateIp } from "../pod-spec/ip-address.ts";
import { setIfEmpty } from "../pod-spec/pod-spec-fields.ts";
import { invalidEach, validateChoice, validatePortNumber } from "../pod-spec/text-rules.ts";
import { protocols } from "../pod-spec/validate-container.ts";
import { validateEndpointIp } from "./endpoint-ip.ts";

/** Endpoints, the predecessor of EndpointSlices. */
export const endpointsStrategy: Strategy = {
  setDefaults(object) {
    for (const subset of objectsAt(object, "subsets"))
      for (const port of objectsAt(subset, "ports")) setIfEmpty(port, "protocol", "TCP");
  },
  validate: validateSubsets,
  warnings: () => ["v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
  allowsCreateOnUpdate: true,
};

function validateSubsets(object: JsonObject): readonly FieldError[] {
  return objectsAt(object, "subsets").flatMap((subset, index) => {
    const at = `subsets[${index}]`;
    const ready = objectsAt(subset, "addresses");
    const notReady = objectsAt(subset, "notReadyAddresses");
    const ports = objectsAt(subset, "ports");
    const isEmpty = ready.length === 0 && notReady.length === 0;
    return [
      ...(isEmpty ? [requiredValue(at, "must specify `addresses` or `notReadyAddresses`")] : []),
      ...ready.flatMap((address, place) => validateAddress(address, `${at}.addresses[${place}]`)),
      ...notReady.flatMap((address, place) => validateAddress(address, `${at}.notReadyAddresses[${place}]`)),
      ...ports.flatMap((port, place) => validatePort(port, `${at}.ports[${place}]`, ports.length > 1)),
    ];
  });
}

function validateAddress(address: JsonObject, field: string): readonly FieldError[] {
  const ip = textOf(address, "ip");
  const hostname = textOf(address, "hostname");
  const nodeName = getKey(address, "nodeName");
  return [
    ...validateIp(`${field}.ip`, ip),
    ...(hostname === "" ? [] : invalidEach(`${field}.hostname`, hostname, dnsLabelErrors(hostname, false))),
    ...(typeof nodeName === "string"
      ? invalidEach(`${field}.nodeName`, nodeName, dnsSubdomainErrors(nodeName, false))
      : []),
    ...validateEndpointIp(`${field}.ip`, ip),
  ];
}

function validatePort(port: JsonObject, field: string, needsName: boolean): readonly FieldError[] {
  const name = textOf(port, "name");
  const appProtocol = getKey(port, "appProtocol");
  const nameErrors = name === "" ? [] : invalidEach(`${field}.name`, name, dnsLabelErrors(name, false));
  return [
    ...(needsName && name === "" ? [requiredValue(`${field}.name`)] : nameErrors),
    ...validatePortNumber(`${field}.port`, countOf(port, "port")),
    ...validateChoice(`${field}.protocol`, textOf(port, "protocol"), protocols),
    ...(typeof appProtocol === "string"
      ? invalidEach(`${field}.appProtocol`, appProtocol, labelKeyErrors(appProtocol))
      : []),
  ];
}
