// SPDX-License-Identifier: Apache-2.0
// Masking of secrets. Log lines, error texts and messages of the CLI pass through here.

/** Replacement text of a secret. */
export const mask = "***";

/** Maximum length of one field's text in a log line. 4 KiB is enough for any stack trace. */
export const longestTextLength = 4_096;

/**
 * Text that is always a secret: a Flotilla token; another bearer credential (at least 16 characters, so that prose
 * about bearers stays readable); the password of a URL; a PEM private key up to its end, or up to a quote or
 * backslash, which PEM does not contain (except `\n`, JSON's encoding of a newline).
 */
const secretTexts =
  /(flt_)[\w.~+/=-]+|(bearer\s+)[\w.~+/=-]{16,}|(:\/\/[^\s/?#:@"\\]{0,255}:)[^\s/?#"\\]{1,1024}(?=@)|(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)(?:\\[nrt]|(?!-----END )[^"\\])*/gi;

/**
 * Masks every token, bearer credential, password of a URL and private key in `text`. Works on plain text and on a line
 * of JSON.
 */
export function maskSecretText(text: string): string {
  return text.replace(
    secretTexts,
    (_whole, token?: string, bearer?: string, url?: string, key?: string) =>
      `${token ?? bearer ?? url ?? key ?? ""}${mask}`,
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

/** Words that make a following `key` a secret; `key` alone is an object's key in this code base. */
const keyWords = new Set(["access", "api", "encryption", "master", "private", "secret", "session", "signing", "tls"]);

/** Last words of names that refer to a secret without containing it: `tokenId`, `secretCount`, `passwordFile`. */
const harmlessEndings = new Set(["at", "bytes", "count", "file", "id", "ids", "kind", "ms", "name", "path", "ttl"]);

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** True for the name of a field whose value must be masked, in all usual spellings. In doubt it is true. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined || harmlessEndings.has(last)) return false;
  if (words.some((word) => secretWords.has(word))) return true;
  if (/^(api|private|secret|access|encryption)keys?$/.test(words.join(""))) return true;
  return words.some((word, at) => /^keys?$/.test(word) && keyWords.has(words[at - 1] ?? ""));
}

/** Text is truncated to this length before the search, to bound its cost; four times what can remain. */
const maxSearchedLength = 4 * longestTextLength;

/** Masks `text` and truncates it to the maximum field length; a truncated text states its full length. */
export function toSafeText(text: string): string {
  const masked = maskSecretText(text.slice(0, maxSearchedLength));
  if (masked.length <= longestTextLength && text.length <= maxSearchedLength) return masked;
  return `${masked.slice(0, longestTextLength)}… (${text.length} characters)`;
}
