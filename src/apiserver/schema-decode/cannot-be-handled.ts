// SPDX-License-Identifier: Apache-2.0
import type { ParsedText } from "../json/parse-json.ts";
import { ApiError } from "../status/api-error.ts";

/** The refusal of a body that cannot become an object of the kind that is asked for. */
export class CannotBeHandled extends ApiError {
  /** What is wrong, without saying with what. */
  readonly problem: string;

  constructor(message: string, problem: string) {
    super(400, "BadRequest", message);
    this.problem = problem;
  }
}

/** The same, of a body that says it is `what`. `wanted` is the kind that is asked for, if it is another. */
export function cannotBeHandled(
  what: { readonly version: string; readonly kind: string },
  problem: string,
  wanted: string = what.kind,
): CannotBeHandled {
  const message = `${what.kind} in version ${JSON.stringify(what.version)} cannot be handled as a ${wanted}: ${problem}`;
  return new CannotBeHandled(message, problem);
}

/** The refusal of a body that field validation `Strict` finds complaints about: all that there are, at least one, and the text that they come from. */
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
