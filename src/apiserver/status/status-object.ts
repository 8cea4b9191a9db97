// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../json/json.ts";
import type { ApiError, StatusDetails } from "./api-error.ts";

/** The Status object of a refusal. Omits keys as kube-apiserver does. */
export function toStatus(error: ApiError): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: error.continueToken === undefined ? {} : { continue: error.continueToken },
    status: "Failure",
    message: error.message,
    ...(error.reason === "" ? {} : { reason: error.reason }),
    ...(error.details === undefined ? {} : { details: toDetails(error.details) }),
    code: error.code,
  };
}

/** The Status object of a completed delete. */
export function successStatus(details: StatusDetails): JsonObject {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details: toDetails(details) };
}

function toDetails(details: StatusDetails): JsonObject {
  return {
    ...pick("name", details.name),
    ...pick("group", details.group),
    ...pick("kind", details.kind),
    ...pick("uid", details.uid),
    ...(details.causes === undefined
      ? {}
      : {
          causes: details.causes.map((cause) => ({
            ...pick("reason", cause.reason),
            ...pick("message", cause.message),
            ...pick("field", cause.field),
          })),
        }),
    ...(details.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: details.retryAfterSeconds }),
  };
}

function pick(key: string, value: string | undefined): JsonObject {
  return value === undefined || value === "" ? {} : { [key]: value };
}
