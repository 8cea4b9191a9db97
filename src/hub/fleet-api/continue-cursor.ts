// SPDX-License-Identifier: Apache-2.0
import { expired } from "./fleet-api-errors.ts";

/** Where the next page of a list begins (FA9). */
export interface ContinueCursor {
  /** The resourceVersion of the first page: a watch from it has every change since. */
  readonly version: string;
  /** The rows on the pages before. */
  readonly servedCount: number;
  /** The cursor of the query, which is bound to user and query. */
  readonly cursor: string;
}

/** Above the length of any cursor of a query: the key of a row and its signature. */
const maxTokenLength = 8_192;

export function encodeContinueCursor({ version, servedCount, cursor }: ContinueCursor): string {
  return Buffer.from(JSON.stringify([version, servedCount, cursor])).toString("base64url");
}

/** Undefined for "", the first page. Throws Expired for a text that is not a token of this API. */
export function decodeContinueCursor(text: string): ContinueCursor | undefined {
  if (text === "") return undefined;
  const parts = text.length > maxTokenLength ? undefined : parseParts(Buffer.from(text, "base64url").toString());
  const [version, servedCount, cursor, ...more] = parts ?? [];
  if (typeof version !== "string" || typeof cursor !== "string" || cursor === "" || more.length > 0)
    throw foreignContinue();
  if (typeof servedCount !== "number" || !Number.isSafeInteger(servedCount) || servedCount < 0) throw foreignContinue();
  return { version, servedCount, cursor };
}

/** The refusal of a token that is unknown, too old, or of another user or list. */
export function foreignContinue(): Error {
  return expired("the continue parameter is too old, or of another list");
}

function parseParts(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}
