// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, textOf, textsAt } from "../../json/json-fields.ts";
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { parseIp, validateIp } from "../pod-spec/ip-address.ts";
import { validateOptionalChoice } from "../pod-spec/text-rules.ts";
import { isHeadless, needsClusterIp } from "./service-predicates.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** Validates that the addresses and IP families of a Service are consistent. */
export function validateIpFields(service: JsonObject): readonly FieldError[] {
  if (!needsClusterIp(service)) return [];
  const spec = objectAt(service, "spec") ?? {};
  const ips = textsAt(spec, "clusterIPs");
  const at = "spec.clusterIPs";
  const errors = [...validateFirst(textOf(spec, "clusterIP"), ips, at), ...validateFamilies(spec)];
  errors.push(...validateOptionalChoice("spec.ipFamilyPolicy", getKey(spec, "ipFamilyPolicy"), policies));
  const wrong = ips.flatMap((ip, index) => validateOneIp(ip, index, ips, at));
  errors.push(...wrong);
  if (ips.length > 2) errors.push(invalidValue(at, [...ips], "may only hold up to 2 values"));
  if (wrong.length > 0) return errors;
  const isPair = ips.length < 2 || new Set(ips.map((ip) => parseIp(ip)?.family)).size === 2;
  if (!isPair) errors.push(invalidValue(at, [...ips], "may specify no more than one IP for each IP family"));
  if (!isHeadless(service)) errors.push(...validateMatches(ips, textsAt(spec, "ipFamilies"), at));
  return errors;
}

function validateFirst(ip: string, ips: readonly string[], field: string): readonly FieldError[] {
  if (ip === "")
    return ips.length === 0 ? [] : [invalidValue(field, [...ips], "must be empty when `clusterIP` is not specified")];
  if (ips.length === 0) return [requiredValue(field)];
  return ips[0] === ip ? [] : [invalidValue(field, [...ips], "first value must match `clusterIP`")];
}

function validateFamilies(spec: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return textsAt(spec, "ipFamilies").flatMap((family, index) => {
    const at = `spec.ipFamilies[${index}]`;
    const errors = families.includes(family) ? [] : [notSupportedValue(at, family, families)];
    if (seen.has(family)) errors.push(duplicateValue(at, family));
    seen.add(family);
    return errors;
  });
}

function validateOneIp(ip: string, index: number, ips: readonly string[], field: string): readonly FieldError[] {
  if (index > 0 || ip !== "None") return validateIp(`${field}[${index}]`, ip);
  return ips.length === 1 ? [] : [invalidValue(field, [...ips], "'None' must be the first and only value")];
}

function validateMatches(ips: readonly string[], named: readonly string[], field: string): readonly FieldError[] {
  return ips.flatMap((ip, index) => {
    const family = named[index];
    if (family === undefined || !families.includes(family) || parseIp(ip)?.family === family) return [];
    return [
      invalidValue(`${field}[${index}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``),
    ];
  });
}
