// SPDX-License-Identifier: Apache-2.0
// Removes credentials from addresses before they leave a cluster. Every part that can hold a token is cut off (L18).
import { textOf } from "./fields.ts";

/** The address without user, password, query and fragment. Accepts URLs, `git@host:path` and image names. */
export function sourceUrl(text: string): string {
  const schemeEnd = text.indexOf("://");
  const start = schemeEnd === -1 ? 0 : schemeEnd + 3;
  const rest = withoutUser(text.slice(start));
  return text.slice(0, start) + rest.slice(0, indexOrEnd(rest, /[?#]/));
}

/** The address at the path, cleaned by `sourceUrl`. */
export function sourceUrlAt(object: unknown, ...path: readonly string[]): string | undefined {
  const text = textOf(object, ...path);
  return text === undefined ? undefined : sourceUrl(text);
}

/** A controller's message with its URLs cleaned. If the end of a URL is unclear, more is cut rather than less. */
export function sourceMessage(text: string): string {
  return text.includes("://") ? text.replace(/\S+/g, cleanWord) : text;
}

/** A word may hold several URLs, with quotes around them. */
function cleanWord(word: string): string {
  const [before, ...rests] = word.split("://");
  return [before, ...rests.map((rest) => withoutQuotedQuery(withoutUser(rest)))].join("://");
}

/**
 * Cuts the user off. A user ends at an @ before the path. If the text after the colon is not a port number, the
 * password may hold a slash, so everything up to the last @ counts as user.
 */
function withoutUser(rest: string): string {
  const authority = rest.slice(0, indexOrEnd(rest, /[/?#]/));
  const userEnd = authority.lastIndexOf("@");
  if (userEnd !== -1) return rest.slice(userEnd + 1);
  return hasBrokenPort(authority) ? rest.slice(rest.lastIndexOf("@") + 1) : rest;
}

/** True for `user:pass`, where a host would have a port number. An IPv6 address in brackets contains colons itself. */
function hasBrokenPort(authority: string): boolean {
  const port = /^(?:\[[^\]]*\]|[^:]*):(.*)$/s.exec(authority)?.[1];
  return port !== undefined && !/^\d*$/.test(port);
}

function withoutQuotedQuery(rest: string): string {
  const start = indexOrEnd(rest, /[?#]/);
  const query = rest.slice(start);
  return rest.slice(0, start) + query.slice(indexOrEnd(query, /["'`<>]/));
}

function indexOrEnd(text: string, end: RegExp): number {
  const at = text.search(end);
  return at === -1 ? text.length : at;
}
