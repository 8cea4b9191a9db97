// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import { labelValueErrors } from "../../metadata/label-rules.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import { duplicateValue, type FieldError, invalidValue, requiredValue, tooMany } from "../../status/field-error.ts";
import { validateFullDomain } from "../checks/domain-names.ts";
import { formatIp } from "../networking/ip-text.ts";
import { parseIp, validateIp } from "../pod-spec/ip-address.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

// Kubernetes' limits.
const maxAddresses = 100;
const maxHints = 8;

/** Validates one endpoint of a slice. Its addresses must be of the slice's type and reachable from other hosts. */
export function validateEndpoint(endpoint: JsonObject, addressType: string, field: string): readonly FieldError[] {
  const addresses = textsAt(endpoint, "addresses");
  const at = `${field}.addresses`;
  const nodeName = getKey(endpoint, "nodeName");
  const hostname = getKey(endpoint, "hostname");
  const hints = objectAt(endpoint, "hints");
  return [
    ...(addresses.length === 0 ? [requiredValue(at, "must contain at least 1 address")] : []),
    ...(addresses.length > maxAddresses ? [tooMany(at, addresses.length, maxAddresses)] : []),
    ...addresses.flatMap((address, index) => validateAddress(address, addressType, at, index)),
    ...(typeof nodeName === "string"
      ? invalidEach(`${field}.nodeName`, nodeName, dnsSubdomainErrors(nodeName, false))
      : []),
    ...(typeof hostname === "string"
      ? invalidEach(`${field}.hostname`, hostname, dnsLabelErrors(hostname, false))
      : []),
    ...(hints === undefined ? [] : validateHints(hints, `${field}.hints`)),
  ];
}

function validateAddress(address: string, addressType: string, field: string, index: number): readonly FieldError[] {
  const at = `${field}[${index}]`;
  if (addressType === "FQDN") return validateFullDomain(at, address);
  if (addressType !== "IPv4" && addressType !== "IPv6") return [];
  const errors = validateIp(at, address);
  const ip = parseIp(address);
  if (errors.length > 0 || ip === undefined) return errors;
  const canonical = formatIp(ip);
  if (addressType === "IPv6" && canonical !== address)
    return [invalidValue(at, address, `must be in canonical form (${JSON.stringify(canonical)})`)];
  return [
    ...(ip.family === addressType ? [] : [invalidValue(field, address, `must be an ${addressType} address`)]),
    ...unreachable(ip.bytes).map((text) => invalidValue(at, address, text.replace("(?)", `(${address})`))),
  ];
}

/** Error messages for an address that is unspecified, loopback or link-local. `(?)` stands for the address. */
function unreachable(bytes: readonly number[]): readonly string[] {
  const [first = 0, second = 0, third = 0] = bytes;
  const isV4 = bytes.length === 4;
  const isZero = bytes.every((byte) => byte === 0);
  const isOne = !isV4 && bytes.slice(0, -1).every((byte) => byte === 0) && bytes.at(-1) === 1;
  const isLinkLocal = isV4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
  const isLinkMulticast = isV4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2;
  return [
    ...(isZero ? ["may not be unspecified (?)"] : []),
    ...((isV4 && first === 127) || isOne ? ["may not be in the loopback range (127.0.0.0/8, ::1/128)"] : []),
    ...(isLinkLocal ? ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"] : []),
    ...(isLinkMulticast ? ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"] : []),
  ];
}

function validateHints(hints: JsonObject, field: string): readonly FieldError[] {
  const zones = objectsAt(hints, "forZones");
  const nodes = objectsAt(hints, "forNodes");
  if (zones.length > maxHints) return [tooMany(`${field}.forZones`, zones.length, maxHints)];
  const zoneErrors = validateNames(zones, `${field}.forZones`, labelValueErrors);
  if (nodes.length > maxHints) return [...zoneErrors, tooMany(`${field}.forNodes`, nodes.length, maxHints)];
  return [...zoneErrors, ...validateNames(nodes, `${field}.forNodes`, (name) => dnsSubdomainErrors(name, false))];
}

function validateNames(
  items: readonly JsonObject[],
  field: string,
  errorsOf: (name: string) => readonly string[],
): readonly FieldError[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const name = textOf(item, "name");
    const at = `${field}[${index}].name`;
    const isTaken = seen.has(name);
    seen.add(name);
    return [...(isTaken ? [duplicateValue(at, name)] : []), ...invalidEach(at, name, errorsOf(name))];
  });
}
