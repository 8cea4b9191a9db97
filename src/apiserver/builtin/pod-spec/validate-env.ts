// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import { type FieldError, invalidValue, notSupportedValue, requiredValue } from "../../status/field-error.ts";
import { quantityNanos } from "./quantity-value.ts";
import { configKeyErrors, envNameErrors, invalidEach, requireText, validateNoBacksteps } from "./text-rules.ts";

const envFieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

/** Field paths without a subscript that the downward API supports. */
const knownFieldPaths = new Set([
  ...envFieldPaths,
  "metadata.annotations",
  "metadata.labels",
  "spec.restartPolicy",
  "status.phase",
]);

const resourcePaths = ["cpu", "ephemeral-storage", "memory"]
  .flatMap((name) => [`limits.${name}`, `requests.${name}`])
  .sort();

const sizeDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/** Field paths that the downward API supports in a volume. */
export const volumeFieldPaths = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

/** Validates the environment variables of a container. */
export function validateEnv(container: JsonObject, field: string): readonly FieldError[] {
  return objectsAt(container, "env").flatMap((variable, index) => {
    const at = `${field}.env[${index}]`;
    const name = textOf(variable, "name");
    return [
      ...(name === "" ? [requiredValue(`${at}.name`)] : invalidEach(`${at}.name`, name, envNameErrors(name))),
      ...validateValueFrom(variable, `${at}.valueFrom`),
    ];
  });
}

/** Validates `envFrom` of a container. */
export function validateEnvFrom(container: JsonObject, field: string): readonly FieldError[] {
  const list = `${field}.envFrom`;
  return objectsAt(container, "envFrom").flatMap((source, index) => {
    const prefix = textOf(source, "prefix");
    const errors: FieldError[] = [];
    if (prefix !== "") errors.push(...invalidEach(`${list}[${index}].prefix`, prefix, envNameErrors(prefix)));
    let sourceCount = 0;
    for (const key of ["configMapRef", "secretRef"]) {
      const ref = objectAt(source, key);
      if (ref === undefined) continue;
      sourceCount += 1;
      const at = `${list}[${index}].${key}.name`;
      const name = textOf(ref, "name");
      if (name === "") errors.push(requiredValue(at));
      else errors.push(...invalidEach(at, name, dnsSubdomainErrors(name, true)));
    }
    if (sourceCount === 0) errors.push(invalidValue(list, "", "must specify one of: `configMapRef` or `secretRef`"));
    if (sourceCount > 1) errors.push(invalidValue(list, "", "may not have more than one field specified at a time"));
    return errors;
  });
}

function validateValueFrom(variable: JsonObject, field: string): readonly FieldError[] {
  const valueFrom = objectAt(variable, "valueFrom");
  if (valueFrom === undefined) return [];
  const errors: FieldError[] = [];
  let sourceCount = 0;
  for (const [key, validate] of valueSources) {
    const source = objectAt(valueFrom, key);
    if (source === undefined) continue;
    sourceCount += 1;
    errors.push(...validate(source, `${field}.${key}`));
  }
  if (sourceCount === 0)
    errors.push(
      invalidValue(
        field,
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
      ),
    );
  else if (textOf(variable, "value") !== "")
    errors.push(invalidValue(field, "", "may not be specified when `value` is not empty"));
  else if (sourceCount > 1)
    errors.push(invalidValue(field, "", "may not have more than one field specified at a time"));
  return errors;
}

const valueSources: readonly [string, (source: JsonObject, field: string) => readonly FieldError[]][] = [
  ["fieldRef", (source, field) => validateFieldRef(source, field, envFieldPaths)],
  ["resourceFieldRef", (source, field) => validateResourceFieldRef(source, field, false)],
  ["configMapKeyRef", validateKeyRef],
  ["secretKeyRef", validateKeyRef],
  ["fileKeyRef", validateFileKeyRef],
];

/** Validates a reference to a field of the Pod: one of `paths`, or one label or annotation. */
export function validateFieldRef(fieldRef: JsonObject, field: string, paths: readonly string[]): readonly FieldError[] {
  const missing = [...requireText(fieldRef, "apiVersion", field), ...requireText(fieldRef, "fieldPath", field)];
  if (missing.length > 0) return missing.slice(0, 1);
  const path = textOf(fieldRef, "fieldPath");
  const at = `${field}.fieldPath`;
  const subscript = /^([^[]*)\['(.*)'\]$/s.exec(path);
  if (subscript !== null) {
    const [, base = "", key = ""] = subscript;
    if (base === "metadata.annotations")
      return invalidEach(field, key.toLowerCase(), labelKeyErrors(key.toLowerCase()));
    if (base === "metadata.labels") return invalidEach(field, key, labelKeyErrors(key));
    return [invalidValue(at, path, `error converting fieldPath: field label does not support subscript: ${path}`)];
  }
  const apiVersion = textOf(fieldRef, "apiVersion");
  if (apiVersion !== "v1")
    return [invalidValue(at, path, `error converting fieldPath: unsupported pod version: ${apiVersion}`)];
  if (path !== "spec.host" && !knownFieldPaths.has(path))
    return [invalidValue(at, path, `error converting fieldPath: field label not supported: ${path}`)];
  const named = path === "spec.host" ? "spec.nodeName" : path;
  return paths.includes(named) ? [] : [notSupportedValue(at, named, paths)];
}

/** Validates a reference to a container's resources. */
export function validateResourceFieldRef(ref: JsonObject, field: string, isVolume: boolean): readonly FieldError[] {
  const resource = textOf(ref, "resource");
  const isHugePages = /^(?:limits|requests)\.hugepages-/.test(resource);
  const errors: FieldError[] = [];
  if (isVolume && textOf(ref, "containerName") === "") errors.push(requiredValue(`${field}.containerName`));
  else if (resource === "") errors.push(requiredValue(`${field}.resource`));
  else if (!resourcePaths.includes(resource) && !isHugePages)
    errors.push(notSupportedValue(`${field}.resource`, resource, resourcePaths));
  const divisor = textOf(ref, "divisor");
  const kind = isHugePages ? "hugepages" : (resource.split(".")[1] ?? "");
  if ((quantityNanos(divisor) ?? 0n) !== 0n) errors.push(...validateDivisor(kind, resource, divisor, field));
  return errors;
}

function validateDivisor(kind: string, resource: string, divisor: string, field: string): readonly FieldError[] {
  const at = `${field}.divisor`;
  if (kind === "cpu") {
    if (divisor === "1m" || divisor === "1") return [];
    return [invalidValue(at, resource, "only divisor's values 1m and 1 are supported with the cpu resource")];
  }
  const isSize = kind === "memory" || kind === "ephemeral-storage" || kind === "hugepages";
  if (!isSize || sizeDivisors.includes(divisor)) return [];
  const named = kind === "ephemeral-storage" ? "local ephemeral storage" : kind;
  return [
    invalidValue(
      at,
      resource,
      `only divisor's values ${sizeDivisors.join(", ")} are supported with the ${named} resource`,
    ),
  ];
}

function validateKeyRef(ref: JsonObject, field: string): readonly FieldError[] {
  const name = textOf(ref, "name");
  const key = textOf(ref, "key");
  return [
    ...invalidEach(`${field}.name`, name, dnsSubdomainErrors(name, false)),
    ...(key === "" ? [requiredValue(`${field}.key`)] : invalidEach(`${field}.key`, key, configKeyErrors(key))),
  ];
}

function validateFileKeyRef(ref: JsonObject, field: string): readonly FieldError[] {
  const key = textOf(ref, "key");
  const volume = textOf(ref, "volumeName");
  const path = textOf(ref, "path");
  return [
    ...(key === "" ? [requiredValue(`${field}.key`)] : invalidEach(`${field}.key`, key, envNameErrors(key))),
    ...(volume === ""
      ? [requiredValue(`${field}.volumeName`)]
      : invalidEach(`${field}.volumeName`, volume, dnsLabelErrors(volume, false))),
    ...(path === "" ? [requiredValue(`${field}.path`)] : validateNoBacksteps(`${field}.path`, path)),
  ];
}
