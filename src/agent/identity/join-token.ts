// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { FlotillaError } from "../../base/error.ts";

/** Where a join token comes from. Asked again at each attempt: a mounted Secret may come, or be mended, while the agent runs. */
export interface JoinTokenSource {
  /** Where an operator puts one: "the file /run/token". */
  readonly where: string;
  /** The text without blanks around it; undefined while there is none. */
  load(signal: AbortSignal): Promise<string | undefined>;
}

/** Characters of a token's text; those we issue have 68. */
const maxTokenLength = 1_024;

/** A token that was given as text. */
export function givenJoinToken(text: string): JoinTokenSource {
  return { where: "the join token given", load: () => Promise.resolve(trimToken(text, "the join token given")) };
}

/** A token in a file, read anew each time. `read` resolves with undefined where there is no such file. */
export function joinTokenFile(
  path: string,
  read: (path: string, signal: AbortSignal) => Promise<string | undefined>,
): JoinTokenSource {
  const where = `the file ${path}`;
  return {
    where,
    load: async (signal) => trimToken((await read(path, signal)) ?? "", where),
  };
}

function trimToken(text: string, where: string): string | undefined {
  const token = text.trim();
  if (token === "") return undefined;
  if (token.length > maxTokenLength || /\s/.test(token))
    throw new FlotillaError("INVALID_ARGUMENT", `${where} does not hold a join token and nothing else`);
  return token;
}

/**
 * What is kept of a token to know it again: 64 bits of its hash. A token has 256 bits of chance, so nothing of it can be found from that.
 */
export function markOfToken(token: string): string {
  return createHash("sha256").update("flotilla join token mark\0").update(token).digest("hex").slice(0, 16);
}
