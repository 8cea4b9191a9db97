// SPDX-License-Identifier: Apache-2.0
import {
  copyJson,
  type DraftObject,
  deleteKey,
  ensureObject,
  getKey,
  type JsonObject,
  setKey,
} from "../../json/json.ts";
import { objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import type { Strategy, WriteContext } from "../../resources/strategy.ts";
import { formatTime } from "../../schema-decode/go-time.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { isSameValue, objectOf } from "../checks/field-checks.ts";
import { pointedNumber, setIfAbsent } from "../checks/object-fields.ts";
import { keepStatus } from "../checks/status-checks.ts";

/** Kubernetes' minimum lifetime of a requested certificate: ten minutes. */
const leastSeconds = 600;

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const seconds = pointedNumber(spec, "expirationSeconds");
  return [
    ...validateRequest(getKey(spec, "request")),
    ...(textsAt(spec, "usages").length === 0 ? [requiredValue("spec.usages")] : []),
    ...(textOf(spec, "signerName") === "" ? [requiredValue("spec.signerName")] : []),
    ...(seconds === undefined || seconds >= leastSeconds
      ? []
      : [
          invalidValue(
            "spec.expirationSeconds",
            seconds,
            "may not specify a duration less than 600 seconds (10 minutes)",
          ),
        ]),
  ];
}

/** Validates the PEM type only. The signer checks the contents. */
function validateRequest(request: JsonObject[string] | undefined): readonly FieldError[] {
  const shown = typeof request === "string" && request !== "" ? request : null;
  const text = typeof request === "string" ? Buffer.from(request, "base64").toString("latin1") : "";
  if (text.includes("-----BEGIN CERTIFICATE REQUEST-----")) return [];
  return [invalidValue("spec.request", shown, "PEM block type must be CERTIFICATE REQUEST")];
}

/** Sets the requester's identity in the spec. It replaces the client's values. Resets the status. */
function setRequester(object: DraftObject, { user }: WriteContext): void {
  const spec = ensureObject(object, "spec");
  for (const key of ["username", "uid", "groups", "extra"]) deleteKey(spec, key);
  if (user !== undefined) {
    spec["username"] = user.user;
    if (user.uid !== undefined && user.uid !== "") spec["uid"] = user.uid;
    spec["groups"] = [...user.groups];
    for (const [key, values] of user.extra ?? []) setKey(ensureObject(spec, "extra"), key, [...values]);
  }
  setKey(object, "status", {});
}

/** Sets the missing times of conditions. A condition with an unchanged status keeps its transition time. */
function setConditionTimes(object: DraftObject, old: JsonObject, nowMs: number): void {
  const now = formatTime(nowMs);
  for (const condition of objectsAt(object, "status", "conditions")) {
    const before = objectsAt(old, "status", "conditions").find((each) =>
      ["type", "status"].every((key) => textOf(each, key) === textOf(condition, key)),
    );
    setIfAbsent(condition, "lastUpdateTime", now);
    setIfAbsent(condition, "lastTransitionTime", textOf(before ?? {}, "lastTransitionTime") || now);
  }
}

/** CertificateSigningRequests. The spec is immutable. This server does not sign them. */
export const certificateSigningRequestStrategy: Strategy = {
  prepareForCreate: setRequester,
  prepareForUpdate(object, old) {
    setKey(object, "spec", copyJson(objectOf(old, "spec")));
    keepStatus(object, old);
  },
  prepareForStatusUpdate(object, old, nowMs) {
    setKey(object, "spec", copyJson(objectOf(old, "spec")));
    setConditionTimes(object, old, nowMs);
  },
  validate,
  validateStatusUpdate: (object, old) => {
    const before = getKey(objectOf(old, "status"), "certificate");
    const isSame = before === undefined || isSameValue(getKey(objectOf(object, "status"), "certificate"), before);
    return isSame
      ? []
      : [invalidValue("status.certificate", "", "updates may not modify existing certificate content")];
  },
};
