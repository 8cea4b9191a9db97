// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../../json/json.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";

/** What the parts of a zone's name look like, as Kubernetes checks them before it looks for the zone. */
const partPattern = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** The time zone of a CronJob: absent, or one of IANA's by its name. */
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

/** What Go says of a zone that it cannot load; undefined for one it can. Zones are those that this runtime knows. */
export function timeZoneError(zone: string): string | undefined {
  if (zone === "" || zone === "UTC" || zone === "Local") return undefined;
  return isKnownZone(zone) ? undefined : `unknown time zone ${zone}`;
}

/** The runtime takes names in any case and offsets such as `+02`; Go takes neither. An old name in the wrong case is not noticed. */
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
