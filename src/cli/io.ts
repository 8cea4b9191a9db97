// SPDX-License-Identifier: Apache-2.0

/** Where text goes. */
export interface TextOutput {
  write(text: string): void;
  /** True when a person reads it as it is written. */
  readonly isTerminal: boolean;
}

/** A verb's way to the world around the process. Results go to `stdout`; everything said about them to `stderr`. */
export interface Io {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970, for "3m ago". */
  now(): number;
  /** Asks the person at the terminal and gives the line that was typed, "" at its end. Absent where there is no terminal. Rejects with the signal's reason. */
  ask?(question: string, signal: AbortSignal): Promise<string>;
}

/** A sentence to whoever ran the command, with the name of the program before it. */
export function say(io: Io, sentence: string): void {
  io.stderr.write(`flotilla: ${sentence}\n`);
}
