// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../../json/json.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";

/** The format of each part of a zone name. Kubernetes checks it before it looks up the zone. */
const partPattern = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** Validates the time zone of a CronJob: absent, or the name of an IANA zone. */
export function validateTimeZone(zone: Json | undefined, field: string): readonly FieldError[] {
  if (typeof zone !== "string") return [];
  if (zone === "") return [invalidValue(field, zone, "timeZone must be nil or non-empty string")];
  const isWellFormed = zone
    .split("/")
    .every((part) => part !== "." && part !== ".." && !part.startsWith("-") && partPattern.test(part));
  if (!isWellFormed) return [invalidValue(field, zone, `unknown time zone ${zone}`)];
  const error = timeZoneError(zone);
  const advice = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  return [
    ...(zone.toLowerCase() === "local" ? [invalidValue(field, zone, advice)] : []),
    ...(error === undefined ? [] : [invalidValue(field, zone, error)]),
  ];
}

/**
 * Go's error message for a zone that it cannot load; undefined for a known zone. The zones are those of this runtime.
 */
export function timeZoneError(zone: string): string | undefined {
  if (zone === "" || zone === "UTC" || zone === "Local") return undefined;
  return isKnownZone(zone) ? undefined : `unknown time zone ${zone}`;
}

/**
 * The runtime accepts names in any case and offsets such as `+02`; Go accepts neither. An alias in the wrong case is
 * still accepted here.
 */
function isKnownZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    const resolved = new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
    return resolved === zone || resolved.toLowerCase() !== zone.toLowerCase();
  } catch (reason) {
    if (reason instanceof RangeError) return false;
    throw reason;
  }
}
