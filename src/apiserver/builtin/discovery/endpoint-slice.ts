// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, getKey, type JsonObject } from "../../json/json.ts";
import { objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import {
  duplicateValue,
  type FieldError,
  notSupportedValue,
  requiredValue,
  tooMany,
} from "../../status/field-error.ts";
import { immutable, isSameValue, objectOf, oneOf } from "../checks/field-checks.ts";
import { setIfAbsent } from "../checks/object-fields.ts";
import { countChangeAt } from "../checks/status-checks.ts";
import { ipWarnings } from "../networking/ip-warnings.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";
import { validateEndpoint } from "./slice-endpoints.ts";

// Kubernetes' limits.
const maxPorts = 20_000;
const maxEndpoints = 1000;

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const sliceControllers = new Set(["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"]);

function setDefaults(object: DraftObject): void {
  for (const port of objectsAt(object, "ports")) {
    setIfAbsent(port, "name", "");
    setIfAbsent(port, "protocol", "TCP");
  }
}

/** Drops `deprecatedTopology`: v1 does not accept it. */
function dropTopology(object: DraftObject): void {
  for (const endpoint of objectsAt(object, "endpoints")) deleteKey(endpoint, "deprecatedTopology");
}

function validate(object: JsonObject): readonly FieldError[] {
  const addressType = textOf(object, "addressType");
  const endpoints = objectsAt(object, "endpoints");
  return [
    ...validateAddressType(addressType),
    ...validatePorts(objectsAt(object, "ports")),
    ...(endpoints.length > maxEndpoints
      ? [tooMany("endpoints", endpoints.length, maxEndpoints)]
      : endpoints.flatMap((endpoint, index) => validateEndpoint(endpoint, addressType, `endpoints[${index}]`))),
  ];
}

function validateAddressType(addressType: string): readonly FieldError[] {
  if (addressType === "") return [requiredValue("addressType")];
  return addressTypes.includes(addressType) ? [] : [notSupportedValue("addressType", addressType, addressTypes)];
}

function validatePorts(ports: readonly JsonObject[]): readonly FieldError[] {
  if (ports.length > maxPorts) return [tooMany("ports", ports.length, maxPorts)];
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `ports[${index}]`;
    const name = textOf(port, "name");
    const appProtocol = getKey(port, "appProtocol");
    const isTaken = names.has(name);
    names.add(name);
    return [
      ...(name === "" ? [] : invalidEach(`${field}.name`, name, dnsLabelErrors(name, false))),
      ...(isTaken ? [duplicateValue(`${field}.name`, name)] : []),
      ...oneOf(getKey(port, "protocol"), ["SCTP", "TCP", "UDP"], `${field}.protocol`),
      ...(typeof appProtocol === "string"
        ? invalidEach(`${field}.appProtocol`, appProtocol, labelKeyErrors(appProtocol))
        : []),
    ];
  });
}

function warnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const labels = objectOf(objectOf(object, "metadata"), "labels");
  const isFqdn = old === undefined && textOf(object, "addressType") === "FQDN";
  const controller = textOf(labels, "endpointslice.kubernetes.io/managed-by");
  return [
    ...(isFqdn ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
    ...(sliceControllers.has(controller)
      ? []
      : objectsAt(object, "endpoints").flatMap((endpoint, index) =>
          textsAt(endpoint, "addresses").flatMap((address, at) =>
            ipWarnings(`endpoints[${index}].addresses[${at}]`, address),
          ),
        )),
  ];
}

/** EndpointSlices. A change of labels also increments the generation. */
export const endpointSliceStrategy: Strategy = {
  setDefaults,
  prepareForCreate: dropTopology,
  prepareForUpdate(object, old) {
    if (!isSameValue(getKey(object, "endpoints"), getKey(old, "endpoints"))) dropTopology(object);
    countChangeAt(object, old, "metadata", "labels");
  },
  validate,
  validateUpdate: (object, old) => immutable(getKey(object, "addressType"), getKey(old, "addressType"), "addressType"),
  warnings,
  countsGenerations: true,
};
