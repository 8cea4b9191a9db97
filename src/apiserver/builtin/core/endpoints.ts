// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectsAt, textOf } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { setIfEmpty } from "../checks/object-fields.ts";
import { parseIp, validateIp } from "../pod-spec/ip-address.ts";
import { invalidEach, validateChoice, validatePortNumber } from "../pod-spec/text-rules.ts";
import { protocols } from "../pod-spec/validate-container.ts";

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

/** Validates an address of an endpoint. Unspecified, loopback and link-local addresses are errors. */
export function validateEndpointIp(field: string, text: string): readonly FieldError[] {
  const ip = parseIp(text);
  if (ip === undefined) return [invalidValue(field, text, "must be a valid IP address")];
  const bytes = ip.isMapped ? ip.bytes.slice(12) : ip.bytes;
  const [a = 0, b = 0, c = 0] = bytes;
  const isV4 = bytes.length === 4;
  const isLast = (value: number): boolean => bytes.slice(0, -1).every((byte) => byte === 0) && bytes.at(-1) === value;
  const errors: FieldError[] = [];
  if (isLast(0)) errors.push(invalidValue(field, text, `may not be unspecified (${text})`));
  if (isV4 ? a === 127 : isLast(1))
    errors.push(invalidValue(field, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)"));
  if (isV4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80)
    errors.push(invalidValue(field, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"));
  if (isV4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 2)
    errors.push(invalidValue(field, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"));
  return errors;
}
