// SPDX-License-Identifier: Apache-2.0
import { utf8ByteCount } from "../../../model/text.ts";
import { type JsonObject } from "../../json/json.ts";
import { textAt, textOf } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import { dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

/** Kubernetes' limits for the fields of an event with an eventTime. */
const maxReportingInstanceBytes = 128;
const maxActionBytes = 128;
const maxReasonBytes = 128;
const maxNoteBytes = 1024;

const involvedParts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** Events of the core group. */
export const eventStrategy: Strategy = {
  validate: (object) => [
    ...(textAt(object, "eventTime") === undefined ? validateOldForm(object) : validateNewForm(object)),
    ...invalidEach(
      "namespace",
      textOf(object, "metadata", "namespace"),
      dnsSubdomainErrors(textOf(object, "metadata", "namespace"), false),
    ),
  ],
  allowsCreateOnUpdate: true,
  selectableFieldNames: [
    ...involvedParts.map((part) => `involvedObject.${part}`),
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  selectableFields(object) {
    const component = textOf(object, "reportingComponent");
    return {
      ...Object.fromEntries(
        involvedParts.map((part) => [`involvedObject.${part}`, textOf(object, "involvedObject", part)]),
      ),
      reason: textOf(object, "reason"),
      reportingComponent: component,
      source: textOf(object, "source", "component") || component,
      type: textOf(object, "type"),
    };
  },
};

function validateOldForm(object: JsonObject): readonly FieldError[] {
  const namespace = textOf(object, "metadata", "namespace");
  const involved = textOf(object, "involvedObject", "namespace");
  const isSame = involved === "" ? namespace === "" || namespace === "default" : namespace === involved;
  return isSame ? [] : [invalidValue("involvedObject.namespace", involved, "does not match event.namespace")];
}

function validateNewForm(object: JsonObject): readonly FieldError[] {
  const namespace = textOf(object, "metadata", "namespace");
  const errors: FieldError[] = [];
  const isHome = namespace === "default" || namespace === "kube-system";
  if (textOf(object, "involvedObject", "namespace") === "" && !isHome)
    errors.push(invalidValue("involvedObject.namespace", "", "does not match event.namespace"));
  const component = textOf(object, "reportingComponent");
  if (component === "") errors.push(requiredValue("reportingComponent"));
  errors.push(...invalidEach("reportingComponent", component, labelKeyErrors(component)));
  const limits: readonly [string, number, boolean][] = [
    ["reportingInstance", maxReportingInstanceBytes, true],
    ["action", maxActionBytes, true],
    ["reason", maxReasonBytes, true],
    ["message", maxNoteBytes, false],
  ];
  for (const [key, maxBytes, isRequired] of limits) {
    const text = textOf(object, key);
    if (isRequired && text === "") errors.push(requiredValue(key));
    if (utf8ByteCount(text) > maxBytes) errors.push(invalidValue(key, "", `can have at most ${maxBytes} characters`));
  }
  return errors;
}
