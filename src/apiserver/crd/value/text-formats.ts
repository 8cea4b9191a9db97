// SPDX-License-Identifier: Apache-2.0
// The string formats that kube-apiserver validates.
import { utf8ByteCount } from "../../../model/text.ts";
import { parseIp } from "../../builtin/pod-spec/ip-address.ts";
import { isCreditCard, isIsbn10, isIsbn13 } from "./check-digit-formats.ts";
import { isDateTime, isDuration, isFullDate } from "./time-formats.ts";

/**
 * Maximum length of a validated text. Some formats scan it several times, and no real value is longer than a base64
 * object.
 */
const maxTextLength = 4 * 1024 * 1024;

const hostName =
  /^([a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|([a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;
const shortName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const longName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const colourPart = String.raw`\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`;
const rgbColour = new RegExp(`^rgb\\(${colourPart},${colourPart},${colourPart}\\)$`);

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", test(/^[0-9a-fA-F]{24}$/)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostName],
  ["ipv4", (text) => text.includes(".") && parseIp(text) !== undefined],
  ["ipv6", (text) => text.includes(":") && parseIp(text) !== undefined],
  ["cidr", isCidr],
  ["mac", isHardwareAddress],
  ["uuid", test(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", test(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", test(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", test(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["hexcolor", test(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["rgbcolor", test(rgbColour)],
  ["byte", isBase64],
  ["password", () => true],
  ["date", isFullDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => utf8ByteCount(text) <= 63 && shortName.test(text)],
  ["k8slongname", (text) => utf8ByteCount(text) <= 253 && longName.test(text)],
]);

/** The check of a format; undefined for an unknown one, which kube-apiserver ignores. Ignores dashes in the name. */
export function findTextFormat(format: string): ((text: string) => boolean) | undefined {
  const check = checks.get(format.replaceAll("-", ""));
  return check && ((text) => text.length <= maxTextLength && check(text));
}

/** Whether the format applies to the type. kube-apiserver warns of others. */
export function isKnownFormat(type: string, format: string): boolean {
  if (type === "" || type === "string") return findTextFormat(format) !== undefined;
  if (type === "integer") return format === "int32" || format === "int64";
  return type === "number" && (format === "float" || format === "double");
}

function test(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

function isHostName(text: string): boolean {
  // Length first: the pattern is slow for long texts.
  if (utf8ByteCount(text) > 255) return false;
  return text.split(".").every((part) => utf8ByteCount(part) <= 63) && hostName.test(text);
}

function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isCidr(text: string): boolean {
  const [address = "", prefix = "", ...more] = text.split("/");
  const ip = parseIp(address);
  const maxPrefix = address.includes(":") ? 128 : 32;
  return ip !== undefined && more.length === 0 && /^\d{1,4}$/.test(prefix) && Number(prefix) <= maxPrefix;
}

/** 6, 8 or 20 bytes: pairs of digits separated by `:` or `-`, or groups of four separated by `.`. */
function isHardwareAddress(text: string): boolean {
  const pairs = /^[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1)*[0-9a-fA-F]{2}$/;
  const fours = /^(?:[0-9a-fA-F]{4}\.)+[0-9a-fA-F]{4}$/;
  if (pairs.test(text)) return [6, 8, 20].includes((text.length + 1) / 3);
  return fours.test(text) && [6, 8, 20].includes(((text.length + 1) / 5) * 2);
}

/** An absolute URI or an absolute path, as Go's net/url parses a request target. */
function isRequestUri(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  if (text === "" || /[\u0000-\u001f\u007f]/.test(text)) return false;
  if (text === "*") return true;
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? "";
  if (scheme === "" && !text.startsWith("/")) return false;
  const rest = text.slice(scheme.length).split("?")[0] ?? "";
  if (!rest.startsWith("/")) return scheme !== "";
  const hasAuthority = rest.startsWith("//") && (scheme !== "" || !rest.startsWith("///"));
  const authority = hasAuthority ? (rest.slice(2).split("/")[0] ?? "") : "";
  const path = hasAuthority ? rest.slice(2 + authority.length) : rest;
  return isAuthority(authority) && !/%(?![0-9a-fA-F]{2})/.test(path);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf("@");
  const user = authority.slice(0, Math.max(at, 0));
  const host = authority.slice(at + 1);
  if (!/^[a-zA-Z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) return false;
  if (host.startsWith("[")) return /^\[[^\]]*\](:\d*)?$/.test(host);
  const hasOnlyHostMarks = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:<>"\u0080-\uffff]|%[89a-fA-F][0-9a-fA-F])*$/.test(host);
  return hasOnlyHostMarks && /^[^:]*(:\d*)?$/.test(host);
}

/** An address with or without a display name: `a@b`, `Name <a@b>`. */
function isEmail(text: string): boolean {
  const atom = String.raw`[A-Za-z0-9!#$%&'*+\-/=?^_\x60{|}~\u0080-\u{10ffff}]+`;
  const local = String.raw`(?:${atom}(?:\.${atom})*|"(?:[^"\\\r\n]|\\[^\r\n])+")`;
  const domain = String.raw`(?:${atom}(?:\.${atom})*|\[[^\[\]\s]+\])`;
  const address = `${local}@${domain}`;
  const bare = new RegExp(`^\\s*${address}\\s*$`, "u");
  const named = new RegExp(
    `^\\s*(?:[^<>@,;:"\\[\\]()]*|"(?:[^"\\\\\\r\\n]|\\\\[^\\r\\n])*"\\s*)<${address}>\\s*$`,
    "u",
  );
  return utf8ByteCount(text) <= 1024 && (bare.test(text) || named.test(text));
}
