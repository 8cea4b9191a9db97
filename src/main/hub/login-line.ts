// SPDX-License-Identifier: Apache-2.0
import type { Io } from "../../cli/output/io.ts";
import type { OutputFormat } from "../../cli/output/output.ts";
import type { CreateLink } from "./hub-parts.ts";

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
 * The line with the login link. A link is a credential: it is created only for a person at a terminal, and never
 * written to a file, pipe or log (PG4). Otherwise the line contains the command that creates one. The link is at the
 * end of the line, so that it is easy to copy or click.
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
  return { text: `Open the page (valid once, for 5 minutes; later: flotilla login-link): ${link}\n`, link };
}
