// SPDX-License-Identifier: Apache-2.0
import { quoteGo } from "../json/quote-go.ts";
import type { FieldError } from "./field-error.ts";
import { toSentence } from "./field-error.ts";

/** Kubernetes' reasons, by which clients branch. Empty if kube-apiserver sets none. */
export type StatusReason =
  | ""
  | "AlreadyExists"
  | "BadRequest"
  | "Conflict"
  | "Expired"
  | "Forbidden"
  | "Gone"
  | "InternalError"
  | "Invalid"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "NotFound"
  | "RequestEntityTooLarge"
  | "ServiceUnavailable"
  | "Timeout"
  | "TooManyRequests"
  | "Unauthorized"
  | "UnsupportedMediaType";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A resource, as messages name it: `deployments.apps`. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

/** A refused request: an HTTP status and a Status object with kube-apiserver's message. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: StatusReason;
  readonly details: StatusDetails | undefined;
  /** `metadata.continue` of an expired list: the token to continue with. */
  readonly continueToken: string | undefined;

  constructor(
    code: number,
    reason: StatusReason,
    message: string,
    options: { readonly details?: StatusDetails; readonly continueToken?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.reason = reason;
    this.details = options.details;
    this.continueToken = options.continueToken;
  }
}

/** `deployments.apps`, or `pods` in the core group. */
export function qualifiedName({ group, resource }: ResourceName): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function detailsOf({ group, resource }: ResourceName, name: string): StatusDetails {
  return { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource };
}

export function notFound(resource: ResourceName, name: string): ApiError {
  return new ApiError(404, "NotFound", `${qualifiedName(resource)} ${quoteGo(name)} not found`, {
    details: detailsOf(resource, name),
  });
}

/** The refusal of a path that no resource serves. */
export function noSuchResource(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", { details: {} });
}

export function alreadyExists(resource: ResourceName, name: string): ApiError {
  return new ApiError(409, "AlreadyExists", `${qualifiedName(resource)} ${quoteGo(name)} already exists`, {
    details: detailsOf(resource, name),
  });
}

export function conflict(resource: ResourceName, name: string, because: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualifiedName(resource)} ${quoteGo(name)}: ${because}`;
  return new ApiError(409, "Conflict", message, { details: detailsOf(resource, name) });
}

/** The conflict of a stale resourceVersion. */
export function modifiedMeanwhile(resource: ResourceName, name: string): ApiError {
  const because = "the object has been modified; please apply your changes to the latest version and try again";
  return conflict(resource, name, because);
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}

export function forbidden(resource: ResourceName, name: string, because: string): ApiError {
  const subject = name === "" ? qualifiedName(resource) : `${qualifiedName(resource)} ${quoteGo(name)}`;
  return new ApiError(403, "Forbidden", `${subject} is forbidden: ${because}`, { details: detailsOf(resource, name) });
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {
    details: {},
  });
}

/**
 * The refusal of an object with invalid fields. Unlike other refusals, the details name the kind instead of the
 * resource.
 */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const sentences = [...new Set(errors.map(toSentence))];
  const list = sentences.length === 1 ? sentences[0] : `[${sentences.join(", ")}]`;
  const subject = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  return new ApiError(422, "Invalid", `${subject} ${quoteGo(name)} is invalid: ${list}`, {
    details: {
      ...(name === "" ? {} : { name }),
      ...(kind.group === "" ? {} : { group: kind.group }),
      kind: kind.kind,
      causes: errors.map(({ reason, text, field }) => ({ reason, message: text, field })),
    },
  });
}

/** The refusal of a Kubernetes feature that is not implemented. */
export function notSupportedYet(what: string): ApiError {
  return new ApiError(501, "", `${what} is not supported yet`, { details: {} });
}
