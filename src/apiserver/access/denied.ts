// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import type { RequestAttributes } from "../../rbac/attributes.ts";
import { refusalText } from "../../rbac/grant-text.ts";
import { ApiError, forbidden } from "../status/api-error.ts";

/** The response to a request that is not allowed. `reason` comes from the authorizer, if it has one. */
export function denied(user: Subject, attributes: RequestAttributes, reason = ""): ApiError {
  const text = `${refusalText(user, attributes)}${reason === "" ? "" : `: ${reason}`}`;
  if (attributes.kind === "nonResource") return new ApiError(403, "Forbidden", `forbidden: ${text}`, { details: {} });
  return forbidden({ group: attributes.apiGroup, resource: attributes.resource }, attributes.name, text);
}
