// SPDX-License-Identifier: Apache-2.0
// clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy of a Service, on a cluster with IPv4 addresses only.

import { type DraftObject, ensureObject, type Json, type JsonObject, setKey } from "../../json/json.ts";
import { textAt, textOf, textsAt, valueAt } from "../../json/json-fields.ts";
import type { WriteContext } from "../../resources/strategy.ts";
import { ApiError, invalid } from "../../status/api-error.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { setIfAbsent } from "../checks/object-fields.ts";
import { parseIp } from "../pod-spec/ip-address.ts";
import { type AddressRange, addressError, drawAddress, usedAddresses } from "./service-addresses.ts";
import { isHeadless, needsClusterIp } from "./service-predicates.ts";
import { validateIpFields } from "./validate-service-ips.ts";

/**
 * Sets the IP fields, and allocates an address if the Service needs one. Throws an ApiError for invalid fields and if
 * the address cannot be allocated.
 */
export function allocateClusterIps(
  service: DraftObject,
  old: JsonObject | undefined,
  { range, context }: { readonly range: AddressRange; readonly context: WriteContext },
): void {
  if (!needsClusterIp(service)) return;
  const spec = ensureObject(service, "spec");
  setIfAbsent(spec, "ipFamilyPolicy", textAt(old ?? {}, "spec", "ipFamilyPolicy") ?? defaultPolicy(service));
  refuse(service, validateIpFields(service));
  refuse(service, validatePolicy(service));
  for (const [index, ip] of textsAt(spec, "clusterIPs").entries()) inferFamily(spec, ip, index);
  if (textOf(spec, "clusterIP") === "None" && isSelectorless(spec)) {
    setFamiliesOfSelectorless(spec);
    return;
  }
  refuse(service, validateFamilies(service));
  if (textsAt(spec, "ipFamilies").length === 0) spec["ipFamilies"] = ["IPv4"];
  const isKept = old !== undefined && needsClusterIp(old);
  if (!isKept && !isHeadless(service)) giveAddress(service, { range, context });
}

/** Restores the addresses that an update omits. Old clients know `clusterIP` only, so `clusterIPs` follows it. */
export function keepClusterIps(service: DraftObject, old: JsonObject): void {
  const spec = ensureObject(service, "spec");
  const oldIps = [...textsAt(old, "spec", "clusterIPs")];
  const oldIp = textOf(old, "spec", "clusterIP");
  if (needsClusterIp(service) && needsClusterIp(old)) {
    if (textOf(spec, "clusterIP") === "" && oldIp !== "") spec["clusterIP"] = oldIp;
    if (textsAt(spec, "clusterIPs").length === 0 && oldIps.length > 0) spec["clusterIPs"] = oldIps;
  }
  const ip = textOf(spec, "clusterIP");
  const ips = textsAt(spec, "clusterIPs");
  if (ips.length === 0 && ip === oldIp && oldIps.length > 0) spec["clusterIPs"] = oldIps;
  const isSameList = ips.length === oldIps.length && ips.every((each, index) => each === oldIps[index]);
  if (ip !== oldIp && isSameList) spec["clusterIPs"] = ip === "" ? [] : [ip];
  if (textsAt(spec, "clusterIPs").length === 0) delete spec["clusterIPs"];
}

/** Sets `clusterIPs` from `clusterIP`: old clients create a Service with the latter only. */
export function fillClusterIps(service: DraftObject): void {
  const spec = ensureObject(service, "spec");
  const ip = textOf(spec, "clusterIP");
  if (ip !== "" && textsAt(spec, "clusterIPs").length === 0) spec["clusterIPs"] = [ip];
}

function giveAddress(
  service: DraftObject,
  { range, context }: { readonly range: AddressRange; readonly context: WriteContext },
): void {
  const spec = ensureObject(service, "spec");
  const [asked] = textsAt(spec, "clusterIPs");
  const used = usedAddresses(context.objects.list("services"));
  if (asked !== undefined) {
    const error = addressError(range, used, asked, context.isDryRun ?? false);
    if (error !== undefined)
      refuse(service, [
        invalidValue("spec.clusterIPs", [...textsAt(spec, "clusterIPs")], `failed to allocate IP ${asked}: ${error}`),
      ]);
    return;
  }
  const address = drawAddress(range, used, context.random);
  if (address === undefined) throw rangeIsFull(service);
  setKey(spec, "clusterIP", address);
  setKey(spec, "clusterIPs", [address]);
}

function rangeIsFull(service: JsonObject): ApiError {
  const name = JSON.stringify(textOf(service, "metadata", "name"));
  const message = `failed to allocate a serviceIP for Service ${name}: range is full`;
  return new ApiError(500, "InternalError", `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
  });
}

function refuse(service: JsonObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: "", kind: "Service" }, textOf(service, "metadata", "name"), errors);
}

function defaultPolicy(service: JsonObject): string {
  const spec = valueAt(service, "spec") ?? {};
  const isOpen = textOf(service, "spec", "clusterIP") === "None" && isSelectorless(spec);
  return isOpen ? "RequireDualStack" : "SingleStack";
}

function isSelectorless(spec: Json): boolean {
  const selector = valueAt(spec, "selector");
  return typeof selector !== "object" || selector === null || Object.keys(selector).length === 0;
}

function validatePolicy(service: JsonObject): readonly FieldError[] {
  if (textOf(service, "spec", "ipFamilyPolicy") !== "SingleStack") return [];
  const counted: readonly [string, string][] = [
    ["clusterIPs", "cluster IPs"],
    ["ipFamilies", "IP families"],
  ];
  return counted
    .filter(([key]) => textsAt(service, "spec", key).length === 2)
    .map(([, words]) =>
      invalidValue(
        "spec.ipFamilyPolicy",
        "SingleStack",
        `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${words} are specified`,
      ),
    );
}

function inferFamily(spec: DraftObject, ip: string, index: number): void {
  const families = textsAt(spec, "ipFamilies");
  const family = parseIp(ip)?.family;
  if (family !== undefined && index >= families.length) spec["ipFamilies"] = [...families, family];
}

function setFamiliesOfSelectorless(spec: DraftObject): void {
  const families = [...textsAt(spec, "ipFamilies")];
  if (families.length === 0) families.push("IPv4");
  if (families.length === 1 && textOf(spec, "ipFamilyPolicy") !== "SingleStack")
    families.push(families[0] === "IPv4" ? "IPv6" : "IPv4");
  spec["ipFamilies"] = families;
}

function validateFamilies(service: JsonObject): readonly FieldError[] {
  const policy = textOf(service, "spec", "ipFamilyPolicy");
  const errors: FieldError[] = [];
  if (policy === "RequireDualStack")
    errors.push(invalidValue("spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services"));
  textsAt(service, "spec", "ipFamilies").forEach((family, index) => {
    if (family !== "IPv4")
      errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
  });
  return errors;
}
