// SPDX-License-Identifier: Apache-2.0
// What must not be written down, and how it is masked. Lines, error text and the CLI's own messages pass through here.

/** What stands in the place of a secret. */
export const mask = "***";

/** Longest text that one field may bring into a line; a line is for facts, not for bodies. 4 KiB holds any stack we print. */
export const longestTextLength = 4_096;

/**
 * Text that is a secret wherever it stands: a Flotilla token; a bearer credential of somebody else (16 characters and
 * more, so that prose about bearers stays readable); a private key in PEM, up to its end or to a quote or backslash, which no PEM holds
 * (but `\n` as JSON writes a line's end does belong to it).
 */
const secretTexts =
  /(flt_)[\w.~+/=-]+|(bearer\s+)[\w.~+/=-]{16,}|(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)(?:\\[nrt]|(?!-----END )[^"\\])*/gi;

/** `text` with every token, bearer credential and private key in it masked. Works on plain text and on a line of JSON. */
export function maskSecretText(text: string): string {
  return text.replace(
    secretTexts,
    (_whole, token: string | undefined, bearer: string | undefined, key: string | undefined) =>
      `${token ?? bearer ?? key ?? ""}${mask}`,
  );
}

const secretWords = new Set([
  "auth",
  "authorization",
  "bearer",
  "cookie",
  "cookies",
  "credential",
  "credentials",
  "passphrase",
  "passwd",
  "password",
  "passwords",
  "secret",
  "secrets",
  "token",
  "tokens",
]);

/** `key` alone is an object's key in this code base; one of these before it makes it key material. */
const keyWords = new Set(["access", "api", "encryption", "master", "private", "secret", "session", "signing", "tls"]);

/** Last words that make a name speak about a secret without being one: `tokenId`, `secretCount`, `passwordFile`. */
const harmlessEndings = new Set(["at", "bytes", "count", "file", "id", "ids", "kind", "ms", "name", "path", "ttl"]);

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** True for the name of a field whose value must not be written, in any of the usual spellings. In doubt it is true. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined || harmlessEndings.has(last)) return false;
  if (words.some((word) => secretWords.has(word))) return true;
  if (/^(api|private|secret|access|encryption)keys?$/.test(words.join(""))) return true;
  return words.some((word, at) => /^keys?$/.test(word) && keyWords.has(words[at - 1] ?? ""));
}

/** Text is cut here before it is searched, so that the search is bounded; four times what can remain of it. */
const longestSearchedLength = 4 * longestTextLength;

/** `text` masked, and cut when it is longer than a field may be; the cut says how long it was. */
export function toSafeText(text: string): string {
  const masked = maskSecretText(text.slice(0, longestSearchedLength));
  if (masked.length <= longestTextLength && text.length <= longestSearchedLength) return masked;
  return `${masked.slice(0, longestTextLength)}… (${text.length} characters)`;
}
