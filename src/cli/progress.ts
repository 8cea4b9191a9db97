// SPDX-License-Identifier: Apache-2.0
import type { Io, TextOutput } from "./io.ts";
import type { OutputFormat } from "./output.ts";
import { toTerminalText } from "./terminal-text.ts";

/** One line on a terminal that says how far something is, rewritten in place (CL18). */
export interface Progress {
  /** Replaces the line. Where standard error is no terminal, or output is for programs, nothing is written. */
  show(text: string): void;
  /** Takes the line away. It may be shown again. */
  clear(): void;
  /** The same io; what is written through it takes the line away first and shows it again after. */
  readonly io: Io;
}

/** To the start of the line, and clear it. */
const clearLine = "\r\u001b[K";

/** A progress line on standard error. */
export function createProgress(io: Io, output: OutputFormat): Progress {
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
