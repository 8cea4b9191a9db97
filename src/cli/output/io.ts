// SPDX-License-Identifier: Apache-2.0

/** An output for text. */
export interface TextOutput {
  write(text: string): void;
  /** True for a terminal. */
  readonly isTerminal: boolean;
}

/** The streams, environment and clock of a verb. Results go to `stdout`; messages about them to `stderr`. */
export interface Io {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970, for "3m ago". */
  now(): number;
  /**
   * Asks a question on the terminal and resolves with the typed line, "" at end of input. Undefined if there is no
   * terminal. Rejects with the signal's reason.
   */
  ask?(question: string, signal: AbortSignal): Promise<string>;
}

/** Prints a sentence on standard error, prefixed with the program's name. */
export function say(io: Io, sentence: string): void {
  io.stderr.write(`flotilla: ${sentence}\n`);
}
