// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, type Json, type JsonObject } from "../../json/json.ts";
import { objectsAt, textOf } from "../../json/json-fields.ts";
import { dnsSubdomainErrors, pathSegmentErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, notSupportedValue, requiredValue } from "../../status/field-error.ts";
import { isSameValue, objectOf } from "../checks/field-checks.ts";
import { setIfEmpty } from "../checks/object-fields.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

const groupName = "rbac.authorization.k8s.io";

function setDefaults(object: DraftObject): void {
  setIfEmpty(ensureObject(object, "roleRef"), "apiGroup", groupName);
  for (const subject of objectsAt(object, "subjects"))
    if (["User", "Group"].includes(textOf(subject, "kind"))) setIfEmpty(subject, "apiGroup", groupName);
}

function validateBinding(object: JsonObject, isNamespaced: boolean): readonly FieldError[] {
  const roleRef = objectOf(object, "roleRef");
  const kinds = isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const kind = textOf(roleRef, "kind");
  const name = textOf(roleRef, "name");
  return [
    ...groupErrors(roleRef, "roleRef"),
    ...(kinds.includes(kind) ? [] : [notSupportedValue("roleRef.kind", kind, kinds)]),
    ...(name === ""
      ? [requiredValue("roleRef.name")]
      : invalidEach("roleRef.name", name, pathSegmentErrors(name, false))),
    ...objectsAt(object, "subjects").flatMap((subject, index) =>
      validateSubject(subject, isNamespaced, `subjects[${index}]`),
    ),
  ];
}

function groupErrors(object: JsonObject, field: string): readonly FieldError[] {
  const group = textOf(object, "apiGroup");
  return group === groupName ? [] : [notSupportedValue(`${field}.apiGroup`, group, [groupName])];
}

function validateSubject(subject: JsonObject, isNamespaced: boolean, field: string): readonly FieldError[] {
  const name = textOf(subject, "name");
  const kind = textOf(subject, "kind");
  const missing = name === "" ? [requiredValue(`${field}.name`)] : [];
  switch (kind) {
    case "User":
    case "Group":
      return [...missing, ...groupErrors(subject, field)];
    case "ServiceAccount":
      return [...missing, ...validateServiceAccount(subject, isNamespaced, field)];
    default:
      return [...missing, notSupportedValue(`${field}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}

function validateServiceAccount(subject: JsonObject, isNamespaced: boolean, field: string): readonly FieldError[] {
  const name = textOf(subject, "name");
  const group = textOf(subject, "apiGroup");
  return [
    ...(name === "" ? [] : invalidEach(`${field}.name`, name, dnsSubdomainErrors(name, false))),
    ...(group === "" ? [] : [notSupportedValue(`${field}.apiGroup`, group, [""])]),
    ...(isNamespaced || textOf(subject, "namespace") !== "" ? [] : [requiredValue(`${field}.namespace`)]),
  ];
}

/** The role is immutable: otherwise a user who may update a binding could grant a more powerful role. */
function validateUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const shown = shownRoleRef(object);
  return isSameValue(shown, shownRoleRef(old)) ? [] : [invalidValue("roleRef", shown, "cannot change roleRef")];
}

/** Error messages print kube-apiserver's internal form. */
function shownRoleRef(object: JsonObject): Json {
  const roleRef = objectOf(object, "roleRef");
  return { APIGroup: textOf(roleRef, "apiGroup"), Kind: textOf(roleRef, "kind"), Name: textOf(roleRef, "name") };
}

/** RoleBindings. src/rbac decides which users may bind which roles. */
export const roleBindingStrategy: Strategy = {
  setDefaults,
  validate: (object) => validateBinding(object, true),
  validateUpdate,
  nameErrors: pathSegmentErrors,
  allowsCreateOnUpdate: true,
};

/** ClusterRoleBindings. */
export const clusterRoleBindingStrategy: Strategy = {
  ...roleBindingStrategy,
  validate: (object) => validateBinding(object, false),
};
