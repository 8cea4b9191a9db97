// SPDX-License-Identifier: Apache-2.0
// Refusals of the fleet API. Each is a Kubernetes Status with a sentence for people (FA13).

import {
  ApiError,
  conflict,
  qualifiedName,
  type ResourceName,
  type StatusReason,
} from "../../apiserver/status/api-error.ts";
import { FlotillaError } from "../../base/error.ts";
import { type ErrorCode, errorCodes } from "../../base/error-codes.ts";

const reasons: Partial<Readonly<Record<ErrorCode, StatusReason>>> = {
  INVALID_ARGUMENT: "BadRequest",
  MALFORMED: "BadRequest",
  UNAUTHENTICATED: "Unauthorized",
  PERMISSION_DENIED: "Forbidden",
  NOT_FOUND: "NotFound",
  CONFLICT: "Conflict",
  GONE: "Expired",
  TOO_LARGE: "RequestEntityTooLarge",
  OVERLOADED: "TooManyRequests",
  UNAVAILABLE: "ServiceUnavailable",
  DEADLINE_EXCEEDED: "Timeout",
};

/** The refusal for any failure. What is not expected becomes an internal error without details. */
export function toFleetApiError(reason: unknown, requestId: string): ApiError {
  if (reason instanceof ApiError) return reason;
  const known = reason instanceof FlotillaError ? reasons[reason.code] : undefined;
  if (reason instanceof FlotillaError && known !== undefined)
    return new ApiError(errorCodes[reason.code].http, known, reason.message, { cause: reason });
  const message = `unexpected internal error; the log of the hub has the cause under the request id ${requestId}`;
  return new ApiError(500, "InternalError", message, { cause: reason });
}

/** A position or a continue token that is too old, or of another user, query or start of the hub: list again (FA9). */
export function expired(because: string): ApiError {
  return new ApiError(410, "Expired", `${because}; list again without it`);
}

/** Commands that a subresource stands for, where kubectl calls it otherwise. */
const subresourceCommands: Readonly<Record<string, string>> = { log: "logs", portforward: "port-forward" };

/** The refusal of everything but reads of objects and lists. */
export function notServed(method: string, resource: string, subresource: string): ApiError {
  const sentence =
    subresource === ""
      ? `the fleet API is read-only and serves no ${method}; use kubectl --context CLUSTER`
      : `the fleet API does not serve ${resource}/${subresource}; use kubectl --context CLUSTER ${subresourceCommands[subresource] ?? subresource}`;
  return new ApiError(405, "MethodNotAllowed", sentence, { details: {} });
}

/** The refusal of a list of whole objects (FA5). */
export function rowsOnly(resource: ResourceName): ApiError {
  const name = qualifiedName(resource);
  const sentence = `the fleet holds rows, not objects: it lists ${name} as a table only. Read one object by kubectl get ${name} NAME@CLUSTER -o yaml, by kubectl --context CLUSTER, or by flotilla cluster object; flotilla get ${name} prints rows as JSON, YAML or names`;
  return new ApiError(406, "NotAcceptable", sentence);
}

/** The most clusters that a refusal names. */
const namedClusterCount = 10;

/** The refusal of a name that several clusters have (FA6). */
export function severalClusters(resource: ResourceName, name: string, clusters: readonly string[]): ApiError {
  const named = clusters.slice(0, namedClusterCount).join(", ");
  const more = clusters.length > namedClusterCount ? ` and ${clusters.length - namedClusterCount} more` : "";
  return conflict(
    resource,
    name,
    `${clusters.length} clusters have it: ${named}${more}. Name one: ${name}@${clusters[0] ?? "CLUSTER"}`,
  );
}
