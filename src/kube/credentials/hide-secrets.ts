// SPDX-License-Identifier: Apache-2.0

/** Shorter texts are no secret worth the name, and taking them out would garble the message. */
const shortestSecretLength = 6;

const hidden = "[hidden]";

/** JSON Web Tokens, wherever they stand. */
const jwt = /\beyJ[\w-]{5,}(?:\.[\w-]*){0,2}/g;

/** What follows a word that announces a secret. */
const announced =
  /\b((?:bearer|basic)\s+|[\w-]*(?:token|password|passwd|secret|api[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?)([^\s"',;]+)/gi;

/** Unbroken runs that are too long for a word; paths, host names and sentences have none. */
const longRun = /[A-Za-z0-9+_=-]{32,}/g;

/** `text` without these secrets, exactly as they are (KU9). */
export function hideExactly(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret.length >= shortestSecretLength) shown = shown.replaceAll(secret, hidden);
  }
  return shown;
}

/** Text of an unknown program, without these secrets and without what looks like one: rather too much is hidden than too little (KU9). */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return hideExactly(text, secrets)
    .replaceAll(jwt, hidden)
    .replaceAll(announced, (_whole, before: string) => `${before}${hidden}`)
    .replaceAll(longRun, hidden);
}

/** The first `length` characters on one line, with control characters left out; for text of others in our messages. */
export function cutText(text: string, length: number): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\s]+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length)}…`;
}
