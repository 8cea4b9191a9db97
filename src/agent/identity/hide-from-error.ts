// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { redactExactly } from "../../kube/credentials/redact-secrets.ts";

/** Longer chains of causes do not occur. The limit ends a cyclic chain. */
const deepestCause = 16;

/**
 * The error in a form that may be logged. If neither it nor a cause contains a secret, it is returned unchanged.
 * Otherwise: an error with the same code and ids, the secrets redacted from its message, and no causes. A server may
 * repeat in its answer what it received (L18).
 */
export function hideFromError(error: FlotillaError, secrets: readonly string[]): FlotillaError {
  let link: unknown = error;
  for (let depth = 0; depth < deepestCause && link !== undefined; depth += 1) {
    const text = textOf(link);
    if (redactExactly(text, secrets) !== text) {
      return new FlotillaError(error.code, redactExactly(error.message, secrets), { ids: error.ids });
    }
    link = link instanceof Error ? link.cause : undefined;
  }
  return error;
}

function textOf(link: unknown): string {
  if (link instanceof Error) return `${link.message}\n${link.stack ?? ""}`;
  return typeof link === "string" ? link : "";
}
