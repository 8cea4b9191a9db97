// SPDX-License-Identifier: Apache-2.0

/** Shorter texts are not hidden: they are weak secrets, and removing them would garble the message. */
const shortestSecretLength = 6;

const hidden = "[hidden]";

/** JSON Web Tokens anywhere in the text. */
const jwt = /\beyJ[\w-]{5,}(?:\.[\w-]*){0,2}/g;

/** The value after a word that announces a secret. */
const labelledSecret =
  /\b((?:bearer|basic)\s+|[\w-]*(?:token|password|passwd|secret|api[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?)([^\s"',;]+)/gi;

/** Long unbroken runs of characters. Paths, host names and sentences have none. */
const longRun = /[A-Za-z0-9+_=-]{32,}/g;

/** `text` with these exact secrets hidden (KU9). */
export function redactExactly(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret.length >= shortestSecretLength) shown = shown.replaceAll(secret, hidden);
  }
  return shown;
}

/**
 * Output of an unknown program with these secrets and everything that looks like one hidden. It hides too much rather
 * than too little (KU9).
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return redactExactly(text, secrets)
    .replaceAll(jwt, hidden)
    .replaceAll(labelledSecret, (_whole, before: string) => `${before}${hidden}`)
    .replaceAll(longRun, hidden);
}

/** The first `length` characters on one line, without control characters; for foreign text in our messages. */
export function cutText(text: string, length: number): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\s]+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length)}…`;
}
