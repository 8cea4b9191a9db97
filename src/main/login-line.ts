// SPDX-License-Identifier: Apache-2.0
import type { Io } from "../cli/io.ts";
import type { OutputFormat } from "../cli/output.ts";
import type { CreateLink } from "./serve-hub.ts";

/** The last line of `up`, and the link in it if there is one. */
export interface LoginLine {
  readonly text: string;
  readonly link: string | undefined;
}

export interface LoginLineOptions {
  readonly output: OutputFormat;
  readonly dataDir: string;
}

/**
 * A link is a credential: it is made for a person at a terminal alone, and goes into no file, pipe or log collector (PG4). Elsewhere the line
 * says how to get one. The link stands at the end of its line: easy to copy, and to click where a terminal knows links.
 */
export function toLoginLine(
  { stdout }: Pick<Io, "stdout">,
  createLink: CreateLink | undefined,
  { output, dataDir }: LoginLineOptions,
): LoginLine {
  if (createLink === undefined || output !== "text") return { text: "", link: undefined };
  if (!stdout.isTerminal) {
    return { text: `For a login link to the page run: flotilla login-link --data-dir ${dataDir}\n`, link: undefined };
  }
  const link = createLink();
  return { text: `Open the page (good once, for 5 minutes; later: flotilla login-link): ${link}\n`, link };
}
