// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { maskSecretText } from "../../telemetry/redact.ts";

/** One thing wrong with what was given. */
export interface Mistake {
  /** `--port`, `FLOTILLA_PORT` or `FILE:LINE:COLUMN`. */
  readonly place: string;
  readonly sentence: string;
}

/** More are counted but not listed; whoever made fifty mistakes gave the wrong file. */
const mostListed = 50;

/** All mistakes of one start, in one error; its message has a line for each. */
export class ConfigMistakesError extends FlotillaError {
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[]) {
    super("CONFIG_INVALID", messageOf(mistakes));
    this.mistakes = mistakes;
  }
}

function messageOf(mistakes: readonly Mistake[]): string {
  const lines = mistakes.slice(0, mostListed).map(({ place, sentence }) => `${place}: ${sentence}`);
  if (lines.length === 1) return lines.join("");
  const more = mistakes.length > mostListed ? [`and ${mistakes.length - mostListed} more`] : [];
  return [`the configuration has ${mistakes.length} mistakes`, ...lines, ...more].join("\n  ");
}

/** What somebody wrote, short enough for a sentence, with control characters shown as escapes and tokens masked. */
export function quote(text: string): string {
  const masked = maskSecretText(text);
  return JSON.stringify(masked.length > 60 ? `${masked.slice(0, 60)}…` : masked);
}
