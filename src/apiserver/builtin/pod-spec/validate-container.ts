// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  notSupportedValue,
  requiredValue,
  tooMany,
} from "../../status/field-error.ts";
import {
  invalidEach,
  portNameErrors,
  requireText,
  validateChoice,
  validateOptionalChoice,
  validatePortNumber,
} from "./text-rules.ts";
import { validateEnv, validateEnvFrom } from "./validate-env.ts";
import { validateMounts } from "./validate-mounts.ts";
import type { ProbeContext } from "./validate-probe.ts";
import { validateResources } from "./validate-resources.ts";
import { validateContainerSecurity } from "./validate-security-context.ts";

/** Data of the Pod that containers are validated against. */
export interface ContainerContext extends ProbeContext {
  /** The valid volumes, by name. */
  readonly volumes: ReadonlyMap<string, JsonObject>;
  readonly claimNames: ReadonlySet<string>;
  readonly podRestartPolicy: string;
  readonly hostUsers: boolean;
}

/** Protocols of ports, in the order of the error messages. */
export const protocols = ["SCTP", "TCP", "UDP"];

const pullPolicies = ["Always", "IfNotPresent", "Never"];
const containerRestartPolicies = ["Always", "Never", "OnFailure"];
const restartActions = ["Restart", "RestartAllContainers"];
const exitCodeOperators = ["In", "NotIn"];
const resizeResources = ["cpu", "memory"];
const resizePolicies = ["NotRequired", "RestartContainer"];

/** Kubernetes' limits for the rules of one container and the exit codes of one rule. */
const maxRestartRuleCount = 20;
const maxExitCodeCount = 255;

/** Validates the rules that containers of all lists share. */
export function validateContainer(
  container: JsonObject,
  field: string,
  context: ContainerContext,
): readonly FieldError[] {
  const name = textOf(container, "name");
  return [
    ...(name === ""
      ? [requiredValue(`${field}.name`)]
      : invalidEach(`${field}.name`, name, dnsLabelErrors(name, false))),
    ...requireText(container, "image", field),
    ...validateChoice(`${field}.terminationMessagePolicy`, textOf(container, "terminationMessagePolicy"), [
      "File",
      "FallbackToLogsOnError",
    ]),
    ...validatePorts(container, `${field}.ports`),
    ...validateEnv(container, field),
    ...validateEnvFrom(container, field),
    ...validateMounts(container, context.volumes, field),
    ...validateChoice(`${field}.imagePullPolicy`, textOf(container, "imagePullPolicy"), pullPolicies),
    ...validateResources(objectAt(container, "resources"), `${field}.resources`, context.claimNames),
    ...validateResizePolicy(container, `${field}.resizePolicy`, context.podRestartPolicy),
    ...validateContainerSecurity(objectAt(container, "securityContext"), `${field}.securityContext`, context.hostUsers),
  ];
}

/** Validates the restart policy of a single container. */
export function validateRestartPolicy(container: JsonObject, field: string): readonly FieldError[] {
  const policy = getKey(container, "restartPolicy");
  const rules = objectsAt(container, "restartPolicyRules");
  const at = `${field}.restartPolicyRules`;
  const errors: FieldError[] = [];
  if (typeof policy !== "string") {
    if (rules.length === 0) return [];
    errors.push(requiredValue(`${field}.restartPolicy`, "must specify restartPolicy when restart rules are used"));
  }
  errors.push(...validateOptionalChoice(`${field}.restartPolicy`, policy, containerRestartPolicies));
  if (rules.length > maxRestartRuleCount) errors.push(tooMany(at, rules.length, maxRestartRuleCount));
  rules.forEach((rule, index) => errors.push(...validateRestartRule(rule, `${at}[${index}]`)));
  return errors;
}

function validateRestartRule(rule: JsonObject, field: string): readonly FieldError[] {
  const action = textOf(rule, "action");
  const exitCodes = objectAt(rule, "exitCodes");
  const errors: FieldError[] = [];
  if (!restartActions.includes(action)) errors.push(notSupportedValue(`${field}.action`, action, restartActions));
  if (exitCodes === undefined) return [...errors, requiredValue(`${field}.exitCodes`, "must be specified")];
  const operator = textOf(exitCodes, "operator");
  if (!exitCodeOperators.includes(operator))
    errors.push(notSupportedValue(`${field}.exitCodes.operator`, operator, exitCodeOperators));
  const values = getKey(exitCodes, "values");
  if (Array.isArray(values) && values.length > maxExitCodeCount)
    errors.push(tooMany(`${field}.exitCodes.values`, values.length, maxExitCodeCount));
  return errors;
}

/** Rejects a host port that is used twice in these containers. */
export function validateHostPorts(containers: readonly JsonObject[], field: string): readonly FieldError[] {
  const seen = new Set<string>();
  return containers.flatMap((container, index) =>
    objectsAt(container, "ports").flatMap((port, portIndex) => {
      const hostPort = countOf(port, "hostPort");
      if (hostPort === 0) return [];
      const key = `${textOf(port, "protocol")}/${textOf(port, "hostIP")}/${hostPort}`;
      if (seen.has(key)) return [duplicateValue(`${field}[${index}].ports[${portIndex}].hostPort`, key)];
      seen.add(key);
      return [];
    }),
  );
}

function validatePorts(container: JsonObject, field: string): readonly FieldError[] {
  const names = new Set<string>();
  return objectsAt(container, "ports").flatMap((port, index) => {
    const at = `${field}[${index}]`;
    const name = textOf(port, "name");
    const wrong = name === "" ? [] : portNameErrors(name);
    const errors = [...invalidEach(`${at}.name`, name, wrong)];
    if (name !== "" && wrong.length === 0 && names.has(name)) errors.push(duplicateValue(`${at}.name`, name));
    names.add(name);
    const containerPort = countOf(port, "containerPort");
    if (containerPort === 0) errors.push(requiredValue(`${at}.containerPort`));
    else errors.push(...validatePortNumber(`${at}.containerPort`, containerPort));
    const hostPort = countOf(port, "hostPort");
    if (hostPort !== 0) errors.push(...validatePortNumber(`${at}.hostPort`, hostPort));
    return [...errors, ...validateChoice(`${at}.protocol`, textOf(port, "protocol"), protocols)];
  });
}

function validateResizePolicy(container: JsonObject, field: string, podPolicy: string): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(container, "resizePolicy").flatMap((policy, index) => {
    const resource = textOf(policy, "resourceName");
    const restart = textOf(policy, "restartPolicy");
    const errors = seen.has(resource) ? [duplicateValue(`${field}[${index}]`, resource)] : [];
    seen.add(resource);
    errors.push(...validateChoice(field, resource, resizeResources), ...validateChoice(field, restart, resizePolicies));
    if (podPolicy === "Never" && restart !== "NotRequired")
      errors.push(invalidValue(field, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    return errors;
  });
}
