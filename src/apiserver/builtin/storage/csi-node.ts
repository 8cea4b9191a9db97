// SPDX-License-Identifier: Apache-2.0
import { getKey, type Json, type JsonObject } from "../../json/json.ts";
import { objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import { dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { duplicateValue, type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { atMostBytes, immutable, nonNegative } from "../checks/field-checks.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

/** Kubernetes' limit for the id that a driver gives a node. */
const maxNodeIdLength = 256;

function validate(object: JsonObject): readonly FieldError[] {
  const names = new Set<string>();
  return objectsAt(object, "spec", "drivers").flatMap((driver, index) => {
    const field = `spec.drivers[${index}]`;
    const name = textOf(driver, "name");
    const isTaken = names.has(name);
    names.add(name);
    return [
      ...validateDriverName(name, `${field}.name`),
      ...validateNodeId(textOf(driver, "nodeID"), `${field}.nodeID`),
      ...nonNegative(driver, field, "allocatable", "count"),
      ...(isTaken ? [duplicateValue(`${field}.name`, name)] : []),
      ...validateTopologyKeys(textsAt(driver, "topologyKeys"), field),
    ];
  });
}

function validateNodeId(nodeId: string, field: string): readonly FieldError[] {
  if (nodeId === "") return [requiredValue(field)];
  if (nodeId.length <= maxNodeIdLength) return [];
  return [invalidValue(field, nodeId, `must be ${maxNodeIdLength} characters or less`)];
}

function validateTopologyKeys(keys: readonly string[], field: string): readonly FieldError[] {
  return keys.flatMap((key, index) => [
    ...(key === "" ? [requiredValue(field)] : []),
    ...(keys.indexOf(key) < index ? [duplicateValue(field, key)] : []),
    ...invalidEach(field, key, labelKeyErrors(key)),
  ]);
}

/** Of a driver that remains, only `allocatable` may change. */
function validateUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const drivers = objectsAt(object, "spec", "drivers");
  return objectsAt(old, "spec", "drivers").flatMap((before) =>
    drivers
      .filter((driver) => textOf(driver, "name") === textOf(before, "name"))
      .flatMap((driver) => immutable(shownDriver(driver), shownDriver(before), "spec.drivers")),
  );
}

/** Error messages print kube-apiserver's internal form. `allocatable` is left out of the comparison. */
function shownDriver(driver: JsonObject): Json {
  return {
    Name: textOf(driver, "name"),
    NodeID: textOf(driver, "nodeID"),
    TopologyKeys: getKey(driver, "topologyKeys") ?? null,
    Allocatable: null,
  };
}

/** CSINodes: the drivers on a node. */
export const csiNodeStrategy: Strategy = {
  validate,
  validateUpdate,
  allowsUnconditionalUpdate: false,
};

/** The limit of the Container Storage Interface. */
const maxNameBytes = 63;

/** Validates the name of a storage driver: a domain name, in which capitals are allowed. */
export function validateDriverName(name: string, field: string): readonly FieldError[] {
  if (name === "") return [requiredValue(field)];
  return [
    ...atMostBytes(name, maxNameBytes, field),
    ...invalidEach(field, name, dnsSubdomainErrors(name.toLowerCase(), false)),
  ];
}
