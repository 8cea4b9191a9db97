// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { redactExactly } from "../../kube/credentials/redact-secrets.ts";

/** Deeper chains of causes than this do not occur; the bound ends a chain that bites its own tail. */
const deepestCause = 16;

/**
 * The failure as it may be logged. Where neither it nor a cause mentions a secret it is the same one; else one of the same code and ids
 * whose message has the secrets hidden, without causes: whoever answered may have repeated what was sent (L18).
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
