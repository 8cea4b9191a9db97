// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Subject } from "../../model/subject.ts";
import type { RequestAttributes } from "../../rbac/attributes.ts";

/** Decides what a subject may do, by Kubernetes RBAC rules. Implemented with `src/rbac` and wired in `main/`. */
export interface CallAuthorizer {
  isAllowed(subject: Subject, request: RequestAttributes): Promise<boolean> | boolean;
}

/**
 * Returns if the subject is allowed. Throws PERMISSION_DENIED otherwise, also when the check itself fails (L16). Only
 * the value `true` allows.
 */
export async function authorize(
  authorizer: CallAuthorizer,
  subject: Subject,
  request: RequestAttributes,
  log: Logger,
): Promise<void> {
  let answer: unknown;
  try {
    answer = await authorizer.isAllowed(subject, request);
  } catch (reason) {
    log.error("permission check failed and counts as a denial", { user: subject.user, verb: request.verb }, reason);
  }
  if (answer !== true) throw new FlotillaError("PERMISSION_DENIED", sentenceOf(subject, request));
}

function sentenceOf({ user }: Subject, request: RequestAttributes): string {
  return `user "${user}" may not ${actionOf(request)}; ask an administrator of the hub for a token whose groups may`;
}

function actionOf(request: RequestAttributes): string {
  if (request.kind === "nonResource") return `${request.verb} ${request.path}`;
  const name = request.name === "" ? "" : ` "${request.name.slice(0, 253)}"`;
  return `${request.verb} ${request.resource}${name} in API group "${request.apiGroup}"`;
}
