// SPDX-License-Identifier: Apache-2.0
import { hasCode } from "../../base/error.ts";
import { attributesOf, type RequestAttributes } from "../../rbac/attributes.ts";
import { denied } from "../access/denied.ts";
import { impersonate } from "../access/impersonate.ts";
import { chooseErrorMediaType } from "../request/accept.ts";
import type { ApiRequest, ApiResponse } from "../request/api-request.ts";
import { checkTimeout } from "../request/timeout.ts";
import { ApiError, badRequest } from "../status/api-error.ts";
import { toStatus } from "../status/status-object.ts";
import { WriteContended } from "../storage/object-writer.ts";
import type { ApiContext } from "./api-context.ts";
import { handleDocument } from "./document-requests.ts";
import { handleResource } from "./handle-resource.ts";
import { groupVersionOf, respondUnknownPath } from "./resource-path.ts";
import { documentResponse } from "./respond.ts";

/** Answers any request. Never rejects: an error becomes a Status. */
export async function handleRequest(context: ApiContext, request: ApiRequest): Promise<ApiResponse> {
  const warnings = new Set<string>();
  const answer = await route(context, request, warnings).catch((reason: unknown) => refusal(context, request, reason));
  return warnings.size === 0 ? answer : { ...answer, warnings: [...warnings] };
}

/** Converts a refusal or a failure to its response. Logs internal errors only. */
export function refusal(
  { log }: Pick<ApiContext, "log">,
  request: Pick<ApiRequest, "method" | "path" | "header">,
  reason: unknown,
): ApiResponse {
  const error = toApiError(reason);
  if (error.code === 500 && error.reason === "InternalError")
    log.error(
      "request failed with an unexpected internal error",
      { method: request.method, path: request.path },
      reason,
    );
  const { retryAfterSeconds } = error.details ?? {};
  return {
    ...documentResponse(error.code, toStatus(error), chooseErrorMediaType(request.header("accept"))),
    ...(retryAfterSeconds === undefined ? {} : { headers: { "retry-after": String(retryAfterSeconds) } }),
  };
}

async function route(context: ApiContext, request: ApiRequest, warnings: Set<string>): Promise<ApiResponse> {
  const attributes = readAttributes(request);
  if (!isLongRunning(attributes)) checkTimeout(request.query);
  const user = impersonate(request, attributes, context.authorizer);
  const verdict = context.authorizer(user, attributes);
  if (verdict.decision !== "allow") throw denied(user, attributes, verdict.reason);
  const { resources } = context.cluster;
  if (attributes.kind === "nonResource")
    return (await handleDocument(context, request)) ?? respondUnknownPath(resources, request.path);
  const place = groupVersionOf(request.path);
  const resource = place && resources.find(place.group, place.version, attributes.resource);
  if (resource === undefined) return respondUnknownPath(resources, request.path);
  return handleResource(context, { request, attributes, resource, user, warnings });
}

const longVerbs: ReadonlySet<string> = new Set(["watch", "proxy"]);
const longSubresources: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** Requests of unlimited duration. kube-apiserver ignores their `timeout` parameter. */
function isLongRunning(attributes: RequestAttributes): boolean {
  if (attributes.kind === "nonResource") return false;
  return longVerbs.has(attributes.verb) || longSubresources.has(attributes.subresource);
}

function readAttributes({ method, path, query }: ApiRequest): RequestAttributes {
  try {
    return attributesOf(method, path, query);
  } catch (reason) {
    if (!hasCode(reason, "INVALID_ARGUMENT")) throw reason;
    throw badRequest(reason.message);
  }
}

function toApiError(reason: unknown): ApiError {
  if (reason instanceof ApiError) return reason;
  if (reason instanceof WriteContended)
    return new ApiError(409, "Conflict", `Operation cannot be fulfilled: ${reason.message}; please try again`);
  if (hasCode(reason, "OVERLOADED"))
    return new ApiError(
      429,
      "TooManyRequests",
      "the server has received too many requests and has asked us to try again later",
      {
        details: { retryAfterSeconds: 1 },
      },
    );
  // kube-apiserver accepts names with control characters; the store's keys do not.
  if (hasCode(reason, "INVALID_ARGUMENT")) return badRequest(reason.message);
  if (hasCode(reason, "TOO_LARGE")) return new ApiError(413, "RequestEntityTooLarge", reason.message);
  if (hasCode(reason, "UNAVAILABLE") || hasCode(reason, "STORE_FULL"))
    return new ApiError(503, "ServiceUnavailable", reason.message);
  return new ApiError(500, "InternalError", "Internal error occurred: unexpected error, see the log of the server", {
    cause: reason,
  });
}
