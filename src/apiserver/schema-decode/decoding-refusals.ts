// SPDX-License-Identifier: Apache-2.0
import type { ParsedText } from "../json/parse-json.ts";
import { ApiError } from "../status/api-error.ts";

/** The refusal of a body that cannot be decoded as the requested kind. */
export class CannotBeHandled extends ApiError {
  /** The error without its context. */
  readonly problem: string;

  constructor(message: string, problem: string) {
    super(400, "BadRequest", message);
    this.problem = problem;
  }
}

/** The refusal of a body of kind `what`. `wanted` is the requested kind, if it differs. */
export function cannotBeHandled(
  what: { readonly version: string; readonly kind: string },
  problem: string,
  wanted: string = what.kind,
): CannotBeHandled {
  const message = `${what.kind} in version ${JSON.stringify(what.version)} cannot be handled as a ${wanted}: ${problem}`;
  return new CannotBeHandled(message, problem);
}

/** The refusal of field validation `Strict`. `complaints` are all complaints, at least one; `parsed` is their text. */
export function strictDecodingError(
  what: { readonly version: string; readonly kind: string },
  complaints: readonly string[],
  parsed?: ParsedText,
): ApiError {
  const lines = parsed?.format === "yaml" ? parsed.duplicates : [];
  const others = complaints.slice(lines.length);
  const sentences = lines.length === 0 ? others : [`yaml: unmarshal errors:\n  ${lines.join("\n  ")}`, ...others];
  return cannotBeHandled(what, `strict decoding error: ${sentences.join(", ")}`);
}
