// SPDX-License-Identifier: Apache-2.0
import { utf8ByteCount } from "../../../model/text.ts";
import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import { createFormTest, dnsSubdomainErrors, formError, lengthError } from "../../metadata/name-rules.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue, tooLong } from "../../status/field-error.ts";
import { isSet } from "../checks/object-fields.ts";
import { validateIp } from "./ip-address.ts";
import { invalidEach } from "./text-rules.ts";

/** Kubernetes' limits for DNS settings. libc uses at most three name servers. */
const maxNameserverCount = 3;
const maxSearchCount = 32;
const maxSearchBytes = 2048;
/** HOST_NAME_MAX of Linux. */
const maxHostnameBytes = 64;
const maxSearchDomainBytes = 253;

const part = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const searchForm = {
  pattern: `${part}(\\.${part})*`,
  words:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  examples: ["example.com"],
};
const isSearch = createFormTest(searchForm);

/** Validates the DNS settings of a Pod. */
export function validateDnsConfig(spec: JsonObject, field: string): readonly FieldError[] {
  const config = objectAt(spec, "dnsConfig");
  const servers = textsAt(config ?? {}, "nameservers");
  if (textOf(spec, "dnsPolicy") === "None") {
    if (config === undefined) return [requiredValue(field, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (servers.length === 0)
      return [
        requiredValue(`${field}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None"),
      ];
  }
  if (config === undefined) return [];
  const errors: FieldError[] = [];
  if (servers.length > maxNameserverCount)
    errors.push(
      invalidValue(`${field}.nameservers`, servers, `must not have more than ${maxNameserverCount} nameservers`),
    );
  servers.forEach((server, index) => errors.push(...validateIp(`${field}.nameservers[${index}]`, server)));
  errors.push(...validateSearches(textsAt(config, "searches"), `${field}.searches`));
  objectsAt(config, "options").forEach((option, index) => {
    if (textOf(option, "name") === "") errors.push(requiredValue(`${field}.options[${index}]`, "must not be empty"));
  });
  return errors;
}

function validateSearches(searches: readonly string[], field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > maxSearchCount)
    errors.push(invalidValue(field, searches, `must not have more than ${maxSearchCount} search paths`));
  if (utf8ByteCount(searches.join(" ")) > maxSearchBytes)
    errors.push(
      invalidValue(
        field,
        searches,
        `must not have more than ${maxSearchBytes} characters (including spaces) in the search list`,
      ),
    );
  searches.forEach((search, index) => {
    if (search === ".") return;
    const domain = search.replace(/\.$/, "");
    errors.push(...invalidEach(`${field}[${index}]`, domain, searchDomainErrors(domain)));
  });
  return errors;
}

function searchDomainErrors(domain: string): readonly string[] {
  return [
    ...(utf8ByteCount(domain) > maxSearchDomainBytes ? [lengthError(maxSearchDomainBytes, "characters")] : []),
    ...(isSearch(domain) ? [] : [formError(searchForm)]),
  ];
}

/** Validates `hostAliases`, the entries of a Pod's hosts file. */
export function validateHostAliases(spec: JsonObject, field: string): readonly FieldError[] {
  return objectsAt(spec, "hostAliases").flatMap((alias, index) => [
    ...validateIp(`${field}[${index}].ip`, textOf(alias, "ip")),
    ...textsAt(alias, "hostnames").flatMap((name, nameIndex) =>
      invalidEach(`${field}[${index}].hostnames[${nameIndex}]`, name, dnsSubdomainErrors(name, false)),
    ),
  ]);
}

/** With `hostNetwork`, a host port must equal its container port. A template may omit it; a Pod must not. */
export function validateHostNetworkPorts(spec: JsonObject, field: string, isPod: boolean): readonly FieldError[] {
  if (getKey(spec, "hostNetwork") !== true) return [];
  return objectsAt(spec, "containers").flatMap((container, index) =>
    objectsAt(container, "ports").flatMap((port, portIndex) => {
      const hostPort = countOf(port, "hostPort");
      if ((!isPod && hostPort === 0) || hostPort === countOf(port, "containerPort")) return [];
      const at = `${field}.containers[${index}].ports[${portIndex}].hostPort`;
      return [invalidValue(at, hostPort, "must match `containerPort` when `hostNetwork` is true")];
    }),
  );
}

/** Validates `hostnameOverride`. */
export function validateHostnameOverride(spec: JsonObject, field: string): readonly FieldError[] {
  if (!isSet(spec, "hostnameOverride")) return [];
  const at = `${field}.hostnameOverride`;
  const name = textOf(spec, "hostnameOverride");
  const errors: FieldError[] = [];
  if (getKey(spec, "setHostnameAsFQDN") === true)
    errors.push(forbiddenField(at, "may not be specified when setHostnameAsFQDN is true"));
  if (getKey(spec, "hostNetwork") === true)
    errors.push(forbiddenField(at, "may not be specified when hostNetwork is true"));
  if (utf8ByteCount(name) > maxHostnameBytes) errors.push(tooLong(at, maxHostnameBytes));
  return [...errors, ...invalidEach(at, name, dnsSubdomainErrors(name, false))];
}

/** With `hostUsers: false`, a Pod must not share the host's network, PID or IPC namespace. */
export function validateHostUsers(spec: JsonObject, field: string): readonly FieldError[] {
  if (getKey(spec, "hostUsers") !== false) return [];
  return [
    ["hostNetwork", "hostNetwork"],
    ["hostPID", "HostPID"],
    ["hostIPC", "HostIPC"],
  ].flatMap(([key = "", shown = ""]) =>
    getKey(spec, key) === true ? [forbiddenField(`${field}.${shown}`, "when `hostUsers` is false")] : [],
  );
}
