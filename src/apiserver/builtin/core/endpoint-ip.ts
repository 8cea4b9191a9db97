// SPDX-License-Identifier: Apache-2.0
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { parseIp } from "../pod-spec/ip-address.ts";

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
