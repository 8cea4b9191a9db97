// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { maskSecretText } from "../../telemetry/redact.ts";

/** One mistake in the configuration. */
export interface ConfigProblem {
  /** `--port`, `FLOTILLA_PORT` or `FILE:LINE:COLUMN`. */
  readonly place: string;
  readonly sentence: string;
}

/** Further mistakes are counted but not listed; with more than fifty, the wrong file was probably given. */
const maxListed = 50;

/** All mistakes of one start in one error, one line each. */
export class ConfigProblemsError extends FlotillaError {
  readonly mistakes: readonly ConfigProblem[];

  constructor(mistakes: readonly ConfigProblem[]) {
    super("CONFIG_INVALID", messageOf(mistakes));
    this.mistakes = mistakes;
  }
}

function messageOf(mistakes: readonly ConfigProblem[]): string {
  const lines = mistakes.slice(0, maxListed).map(({ place, sentence }) => `${place}: ${sentence}`);
  if (lines.length === 1) return lines.join("");
  const more = mistakes.length > maxListed ? [`and ${mistakes.length - maxListed} more`] : [];
  return [`the configuration has ${mistakes.length} mistakes`, ...lines, ...more].join("\n  ");
}

/** User input shortened for a sentence, with control characters escaped and tokens masked. */
export function quote(text: string): string {
  const masked = maskSecretText(text);
  return JSON.stringify(masked.length > 60 ? `${masked.slice(0, 60)}…` : masked);
}
