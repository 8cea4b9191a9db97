// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { isSecretName, mask, toSafeText } from "./redact.ts";

/** Maximum depth of causes: each layer adds one, and there are fewer than eight layers. */
const maxCauseDepth = 8;

/** Errors shown of an AggregateError: a dial that tried many addresses has one per address, mostly alike. */
const maxErrorCount = 3;

/** One error in a log line. */
export interface ErrorDescription {
  readonly name: string;
  readonly message: string;
  /** Our error code, or the system's such as ECONNREFUSED. */
  readonly code?: string;
  readonly next?: string;
  readonly ids?: Readonly<Record<string, string | number>>;
  /** Stack trace; only for unexpected errors, because expected ones are found by their code. */
  readonly stack?: string;
  readonly cause?: ErrorDescription;
  readonly errors?: readonly ErrorDescription[];
}

/**
 * Describes `reason` for a log line: code, message, ids and the chain of causes, bounded in depth and length, with
 * secrets masked. Never throws. A circular chain of causes ends at the repetition.
 */
export function describeError(reason: unknown): ErrorDescription {
  return describe(reason, new Set());
}

function describe(reason: unknown, above: ReadonlySet<unknown>): ErrorDescription {
  if (!(reason instanceof Error)) return { name: "thrown value", message: toSafeText(textOf(reason)) };
  const code = codeOf(reason);
  const seen = new Set(above).add(reason);
  const isExpected = reason instanceof FlotillaError || code !== undefined;
  return {
    name: toSafeText(textOf(reason.name)),
    message: toSafeText(textOf(reason.message)),
    ...(code === undefined ? {} : { code }),
    ...(reason instanceof FlotillaError ? { next: reason.next, ids: safeIds(reason) } : {}),
    ...(isExpected || typeof reason.stack !== "string" ? {} : { stack: toSafeText(reason.stack) }),
    ...(canGoDeeper(reason.cause, seen) ? { cause: describe(reason.cause, seen) } : {}),
    ...(reason instanceof AggregateError ? { errors: describeSome(reason.errors, seen) } : {}),
  };
}

function describeSome(reasons: readonly unknown[], seen: ReadonlySet<unknown>): ErrorDescription[] {
  return reasons
    .slice(0, maxErrorCount)
    .filter((reason) => canGoDeeper(reason, seen))
    .map((reason) => describe(reason, seen));
}

function canGoDeeper(reason: unknown, seen: ReadonlySet<unknown>): boolean {
  return reason !== undefined && reason !== null && seen.size < maxCauseDepth && !seen.has(reason);
}

function codeOf(error: Error): string | undefined {
  const code: unknown = "code" in error ? error.code : undefined;
  return typeof code === "string" || typeof code === "number" ? toSafeText(String(code)) : undefined;
}

function safeIds(error: FlotillaError): Record<string, string | number> {
  const safe: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(error.ids)) {
    safe[toSafeText(name)] = isSecretName(name) ? mask : typeof value === "string" ? toSafeText(value) : value;
  }
  return safe;
}

/** Only text and numbers are shown; a thrown object may contain anything. */
function textOf(reason: unknown): string {
  return typeof reason === "string" || typeof reason === "number" ? String(reason) : `a thrown ${typeof reason}`;
}
