// SPDX-License-Identifier: Apache-2.0
// The rules of CustomResourceDefinitions (apiextensions.k8s.io/v1) except those of metadata, with kube-apiserver's
// messages and order. As in kube-apiserver, errors in a part that all versions share name a field directly below
// `spec`.

import { getKey, isEqualJson, type Json, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textAt, textsAt, valueAt } from "../../json/json-fields.ts";
import { dns1035LabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { toGoVersions } from "../schema/go-schema.ts";
import { parseSchema, walkSchema } from "../schema/schema-node.ts";
import { validateApproval } from "./api-approval.ts";
import { type CrdVersion, hasValue, namesOf, versionsOf } from "./crd-accessors.ts";
import { isConditionTrue } from "./crd-conditions.ts";
import { validateNames, validateNamesPresent } from "./validate-crd-names.ts";
import { validateCrdSchema } from "./validate-crd-schema.ts";
import {
  hasStatusSubresource,
  validateColumns,
  validateDeprecation,
  validateSubresources,
} from "./validate-crd-version.ts";

/** All errors of a definition, including one for each part that is not served. */
export function validateCrd(crd: JsonObject): readonly FieldError[] {
  const spec = objectAt(crd, "spec") ?? {};
  const names = namesOf(objectAt(spec, "names"));
  const versions = versionsOf(crd);
  const own = whatVersionsOwn(versions);
  return [
    ...validateObjectName(crd),
    ...validateGroup(textAt(spec, "group") ?? ""),
    ...validateChoice(textAt(spec, "scope") ?? "", ["Cluster", "Namespaced"], "spec.scope"),
    ...versions.flatMap(({ schema }, index) =>
      schema === undefined ? [requiredValue(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
    ),
    ...validatePreservation(spec, versions),
    ...versions.flatMap((version, index) => validateVersion(version, own, `spec.versions[${index}]`)),
    ...validateVersionList(versions, hasValue(spec, "versions") ? toGoVersions(versions, own.schema) : null),
    ...validateNamesPresent(names, "spec.names"),
    ...validateNames(names, "spec.names"),
    ...validateShared(versions, own),
    ...validateConversion(spec),
    ...refuseUnserved(versions),
    ...validateNames(namesOf(objectAt(crd, "status", "acceptedNames")), "status.acceptedNames"),
    ...validateStoredVersions(crd, versions),
    ...validateApproval(crd),
    ...(getKey(spec, "preserveUnknownFields") === true ? [preservationRefused] : []),
  ];
}

/** Errors of the change from `old`. `validateCrd` checks the definition itself. */
export function validateCrdUpdate(crd: JsonObject, old: JsonObject): readonly FieldError[] {
  const paths = [
    ...(isConditionTrue(old, "Established")
      ? [
          ["spec", "scope"],
          ["spec", "names", "kind"],
        ]
      : []),
    ["spec", "group"],
    ["spec", "names", "plural"],
  ];
  return paths.flatMap((path) => {
    const value = valueAt(crd, ...path) ?? "";
    return isEqualJson(value, valueAt(old, ...path) ?? "")
      ? []
      : [invalidValue(path.join("."), value, "field is immutable")];
  });
}

/** Which parts differ between the versions. */
interface OwnParts {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
}

const preservationRefused = invalidValue(
  "spec.preserveUnknownFields",
  true,
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
);

function whatVersionsOwn(versions: readonly CrdVersion[]): OwnParts {
  const differs = (key: string): boolean =>
    versions.some(({ raw }) => !isEqualJson(getKey(raw, key), getKey(versions[0]?.raw ?? {}, key)));
  return {
    schema: differs("schema"),
    subresources: differs("subresources"),
    columns: differs("additionalPrinterColumns"),
  };
}

/** Only for a new object, which has no resourceVersion: plural and group are immutable afterwards. */
function validateObjectName(crd: JsonObject): readonly FieldError[] {
  const name = textAt(crd, "metadata", "name") ?? "";
  const wanted = `${textAt(crd, "spec", "names", "plural") ?? ""}.${textAt(crd, "spec", "group") ?? ""}`;
  if (name === "" || name === wanted || hasValue(crd, "metadata", "resourceVersion")) return [];
  return [invalidValue("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function validateGroup(group: string): readonly FieldError[] {
  if (group === "") return [requiredValue("spec.group")];
  const errors = dnsSubdomainErrors(group, false);
  if (errors.length > 0) return [invalidValue("spec.group", group, errors.join(","))];
  return group.includes(".") ? [] : [invalidValue("spec.group", group, "should be a domain with at least one dot")];
}

function validateChoice(value: string, choices: readonly string[], field: string): readonly FieldError[] {
  if (value === "") return [requiredValue(field)];
  return choices.includes(value) ? [] : [notSupportedValue(field, value, choices)];
}

function validatePreservation(spec: JsonObject, versions: readonly CrdVersion[]): readonly FieldError[] {
  if (getKey(spec, "preserveUnknownFields") !== true) return [];
  const hasDefaults = versions.some(
    ({ schema }) => schema !== undefined && walkSchema(parseSchema(schema)).some((node) => node.default !== undefined),
  );
  const because = "must be false in order to use defaults in the schema";
  return hasDefaults ? [invalidValue("spec.preserveUnknownFields", true, because)] : [];
}

function validateVersion({ raw, name, schema }: CrdVersion, own: OwnParts, field: string): readonly FieldError[] {
  const wrongName = dns1035LabelErrors(name, false);
  return [
    ...(wrongName.length === 0 ? [] : [invalidValue(`${field}.name`, name, wrongName.join(","))]),
    ...validateDeprecation(raw, field),
    ...(own.schema && schema !== undefined
      ? validateCrdSchema(schema, hasStatusSubresource(raw), `${field}.schema.openAPIV3Schema`)
      : []),
    ...(own.subresources ? validateSubresources(raw, `${field}.subresources`) : []),
    ...(own.columns ? validateColumns(raw, `${field}.additionalPrinterColumns`) : []),
  ];
}

function validateVersionList(versions: readonly CrdVersion[], shown: Json): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalidValue("spec.versions", shown, "must contain unique version names"));
  if (versions.filter(({ isStorage }) => isStorage).length !== 1)
    errors.push(invalidValue("spec.versions", shown, "must have exactly one version marked as storage version"));
  const first = versions[0]?.name ?? "";
  const wrong = first === "" ? [] : dns1035LabelErrors(first, false);
  if (wrong.length > 0) errors.push(invalidValue("spec.version", first, wrong.join(",")));
  return errors;
}

/** Errors in the parts that all versions share. */
function validateShared(versions: readonly CrdVersion[], own: OwnParts): readonly FieldError[] {
  const [first] = versions;
  if (first === undefined) return [];
  const hasStatus = versions.some(({ raw }) => hasStatusSubresource(raw));
  return [
    ...(own.schema || first.schema === undefined
      ? []
      : validateCrdSchema(first.schema, hasStatus, "spec.validation.openAPIV3Schema")),
    ...(own.subresources ? [] : validateSubresources(first.raw, "spec.subresources")),
    ...(own.columns ? [] : validateColumns(first.raw, "spec.additionalPrinterColumns")),
  ];
}

function validateConversion(spec: JsonObject): readonly FieldError[] {
  const conversion = objectAt(spec, "conversion");
  if (conversion === undefined) return [];
  const strategy = textAt(conversion, "strategy") ?? "";
  if (strategy === "Webhook")
    return [forbiddenField("spec.conversion.strategy", "conversion by webhooks is not supported yet")];
  const errors = [...validateChoice(strategy, ["None", "Webhook"], "spec.conversion.strategy")];
  const because = "should not be set when strategy is not set to Webhook";
  if (hasValue(conversion, "webhook", "clientConfig"))
    errors.push(forbiddenField("spec.conversion.webhookClientConfig", because));
  if (textsAt(conversion, "webhook", "conversionReviewVersions").length > 0)
    errors.push(forbiddenField("spec.conversion.conversionReviewVersions", because));
  return errors;
}

/** Refuses definitions with unserved features. Ignoring these features would be worse. */
function refuseUnserved(versions: readonly CrdVersion[]): readonly FieldError[] {
  const errors = versions.flatMap(({ raw }, index) =>
    objectsAt(raw, "selectableFields").length === 0
      ? []
      : [forbiddenField(`spec.versions[${index}].selectableFields`, "selectable fields are not supported yet")],
  );
  const served = versions.filter(({ isServed }) => isServed);
  if (served.length > 1)
    errors.push(forbiddenField("spec.versions", "more than one served version is not supported yet"));
  else if (served.some(({ isStorage }) => !isStorage) && versions.some(({ isStorage }) => isStorage))
    errors.push(
      forbiddenField("spec.versions", "a served version other than the storage version is not supported yet"),
    );
  return errors;
}

function validateStoredVersions(crd: JsonObject, versions: readonly CrdVersion[]): readonly FieldError[] {
  const stored = textsAt(crd, "status", "storedVersions");
  const field = "status.storedVersions";
  if (stored.length === 0) return [invalidValue(field, null, "must have at least one stored version")];
  const names = new Set(versions.map(({ name }) => name));
  return [
    ...versions
      .filter(({ name, isStorage }) => isStorage && !stored.includes(name))
      .map(({ name }) => invalidValue(field, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, index) =>
      names.has(name) ? [] : [invalidValue(`${field}[${index}]`, name, missing(name))],
    ),
  ];
}

function missing(name: string): string {
  const migration = `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
  return `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ${migration}`;
}
