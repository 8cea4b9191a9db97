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
import { formatTime } from "../../metadata/time-text.ts";
import type { Strategy, WriteContext } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { isSameValue, objectOf } from "../checks/field-checks.ts";
import { keepStatus } from "../checks/status-checks.ts";
import { objectsAt, pointedNumber, setIfAbsent, textOf, textsAt } from "../pod-spec/pod-spec-fields.ts";

/** Ten minutes: the shortest life of a certificate that can be asked for. Kubernetes' number. */
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

/** The request is PEM of the right type. Whether it can be signed is a matter of the signer. */
function validateRequest(request: JsonObject[string] | undefined): readonly FieldError[] {
  const shown = typeof request === "string" && request !== "" ? request : null;
  const text = typeof request === "string" ? Buffer.from(request, "base64").toString("latin1") : "";
  if (text.includes("-----BEGIN CERTIFICATE REQUEST-----")) return [];
  return [invalidValue("spec.request", shown, "PEM block type must be CERTIFICATE REQUEST")];
}

/** The server says who asks; whatever a client writes there is replaced. */
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

/** Conditions that a client wrote without times get them; one that was there with the same status keeps its time. */
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

/** CertificateSigningRequests. Their spec stays as it was made, and nothing here signs them. */
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

/** The resources of the group `certificates.k8s.io`. */
export const certificatesStrategies: ReadonlyMap<string, Strategy> = new Map([
  ["certificatesigningrequests", certificateSigningRequestStrategy],
]);
