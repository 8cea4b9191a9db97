// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import { validateLabelSelector } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { objectOf, oneOf } from "../checks/field-checks.ts";
import { pointedNumber, setIfAbsent } from "../checks/object-fields.ts";
import { validateCidr } from "../pod-spec/ip-address.ts";
import { invalidEach, portNameErrors, validatePortNumber } from "../pod-spec/text-rules.ts";
import { isStrictSubset, parseCidr } from "./ip-text.ts";
import { cidrWarnings } from "./ip-warnings.ts";

const protocols = ["TCP", "UDP", "SCTP"];
const policyTypes = ["Ingress", "Egress"];
const directions = [
  { rules: "ingress", peers: "from" },
  { rules: "egress", peers: "to" },
] as const;

function setDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  for (const { rules } of directions)
    for (const rule of objectsAt(spec, rules))
      for (const port of objectsAt(rule, "ports")) setIfAbsent(port, "protocol", "TCP");
  if (textsAt(spec, "policyTypes").length === 0)
    spec["policyTypes"] = objectsAt(spec, "egress").length === 0 ? ["Ingress"] : ["Ingress", "Egress"];
}

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const types = textsAt(spec, "policyTypes");
  return [
    ...validateLabelSelector(objectOf(spec, "podSelector"), "spec.podSelector"),
    ...directions.flatMap(({ rules, peers }) =>
      objectsAt(spec, rules).flatMap((rule, index) => validateRule(rule, peers, `spec.${rules}[${index}]`)),
    ),
    ...(types.length > policyTypes.length
      ? [invalidValue("spec.policyTypes", types, "may not specify more than two policyTypes")]
      : types.flatMap((type, index) =>
          policyTypes.includes(type) ? [] : [notSupportedValue(`spec.policyTypes[${index}]`, type, policyTypes)],
        )),
  ];
}

function validateRule(rule: JsonObject, peers: string, field: string): readonly FieldError[] {
  return [
    ...objectsAt(rule, "ports").flatMap((port, index) => validatePort(port, `${field}.ports[${index}]`)),
    ...objectsAt(rule, peers).flatMap((peer, index) => validatePeer(peer, `${field}.${peers}[${index}]`)),
  ];
}

function validatePort(rule: JsonObject, field: string): readonly FieldError[] {
  return [...oneOf(getKey(rule, "protocol"), protocols, `${field}.protocol`), ...validatePortRange(rule, field)];
}

function validatePortRange(rule: JsonObject, field: string): readonly FieldError[] {
  const port = getKey(rule, "port") ?? null;
  const endPort = pointedNumber(rule, "endPort");
  const at = `${field}.endPort`;
  if (port === null)
    return endPort === undefined
      ? []
      : [invalidValue(at, endPort, "may not be specified when `port` is not specified")];
  if (typeof port === "string")
    return [
      ...(endPort === undefined ? [] : [invalidValue(at, endPort, "may not be specified when `port` is non-numeric")]),
      ...invalidEach(`${field}.port`, port, portNameErrors(port)),
    ];
  const number = Number(port);
  return [
    ...validatePortNumber(`${field}.port`, number),
    ...(endPort !== undefined && endPort < number
      ? [invalidValue(at, number, "must be greater than or equal to `port`")]
      : []),
    ...(endPort === undefined ? [] : validatePortNumber(at, endPort)),
  ];
}

function validatePeer(peer: JsonObject, field: string): readonly FieldError[] {
  const selectors = ["podSelector", "namespaceSelector"].filter((key) => objectAt(peer, key) !== undefined);
  const ipBlock = objectAt(peer, "ipBlock");
  const errors = [
    ...selectors.flatMap((key) => validateLabelSelector(objectAt(peer, key), `${field}.${key}`)),
    ...(ipBlock === undefined ? [] : validateIpBlock(ipBlock, `${field}.ipBlock`)),
  ];
  if (selectors.length === 0 && ipBlock === undefined) errors.push(requiredValue(field, "must specify a peer"));
  if (selectors.length > 0 && ipBlock !== undefined)
    errors.push(forbiddenField(field, "may not specify both ipBlock and another peer"));
  return errors;
}

function validateIpBlock(ipBlock: JsonObject, field: string): readonly FieldError[] {
  const text = textOf(ipBlock, "cidr");
  if (text === "") return [requiredValue(`${field}.cidr`)];
  const outer = parseCidr(text);
  return [
    ...validateCidr(`${field}.cidr`, text),
    ...(outer === undefined
      ? []
      : textsAt(ipBlock, "except").flatMap((except, index) => {
          const at = `${field}.except[${index}]`;
          const inner = parseCidr(except);
          const isOutside = inner !== undefined && !isStrictSubset(inner, outer);
          return [
            ...validateCidr(at, except),
            ...(isOutside ? [invalidValue(at, except, "must be a strict subset of `cidr`")] : []),
          ];
        })),
  ];
}

function warnings(object: JsonObject): readonly string[] {
  return directions.flatMap(({ rules, peers }) =>
    objectsAt(object, "spec", rules).flatMap((rule, index) =>
      objectsAt(rule, peers).flatMap((peer, at) => {
        const ipBlock = objectAt(peer, "ipBlock");
        const field = `spec.${rules}[${index}].${peers}[${at}].ipBlock`;
        if (ipBlock === undefined) return [];
        return [
          ...cidrWarnings(`${field}.cidr`, textOf(ipBlock, "cidr")),
          ...textsAt(ipBlock, "except").flatMap((except, place) => cidrWarnings(`${field}.except[${place}]`, except)),
        ];
      }),
    ),
  );
}

/** NetworkPolicies. */
export const networkPolicyStrategy: Strategy = { setDefaults, validate, warnings, countsGenerations: true };
