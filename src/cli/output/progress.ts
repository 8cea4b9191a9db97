// SPDX-License-Identifier: Apache-2.0
import type { Io, TextOutput } from "./io.ts";
import type { OutputFormat } from "./output.ts";
import { toTerminalText } from "./terminal-text.ts";

/** A progress line on a terminal, rewritten in place (CL18). */
export interface TerminalProgress {
  /** Replaces the line. Writes nothing if standard error is not a terminal or the output format is not text. */
  show(text: string): void;
  /** Removes the line. It may be shown again. */
  clear(): void;
  /** The same io; a write through it removes the line first and shows it again afterwards. */
  readonly io: Io;
}

/** Moves to the start of the line and clears it. */
const clearLine = "\r\u001b[K";

/** A progress line on standard error. */
export function createProgress(io: Io, output: OutputFormat): TerminalProgress {
  if (!io.stderr.isTerminal || output !== "text") {
    return { show: () => undefined, clear: () => undefined, io };
  }
  let shown = "";
  const draw = (): void => (shown === "" ? undefined : io.stderr.write(shown));
  const erase = (): void => (shown === "" ? undefined : io.stderr.write(clearLine));
  const around = (inner: TextOutput): TextOutput => ({
    isTerminal: inner.isTerminal,
    write(text) {
      erase();
      inner.write(text);
      if (text.endsWith("\n")) draw();
    },
  });
  return {
    show(text) {
      erase();
      shown = toTerminalText(text);
      draw();
    },
    clear() {
      erase();
      shown = "";
    },
    io: { ...io, stdout: around(io.stdout), stderr: around(io.stderr) },
  };
}
