// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { FlotillaError } from "../../base/error.ts";

/**
 * Source of a join token. Read again at each attempt: a mounted Secret may appear or be corrected while the agent runs.
 */
export interface JoinTokenSource {
  /** Where an operator puts the token, such as "the file /run/token". */
  readonly where: string;
  /** The trimmed text; undefined while there is none. */
  load(signal: AbortSignal): Promise<string | undefined>;
}

/** Characters of a token; the hub's own have 68. */
const maxTokenLength = 1_024;

/** A token in a file, read again each time. `read` resolves with undefined if there is no such file. */
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
 * Identifies a token in the stored record: 64 bits of its hash. A token has 256 random bits, so it cannot be recovered
 * from them.
 */
export function markOfToken(token: string): string {
  return createHash("sha256").update("flotilla join token mark\0").update(token).digest("hex").slice(0, 16);
}
