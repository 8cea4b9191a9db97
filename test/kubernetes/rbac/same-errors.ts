// SPDX-License-Identifier: Apache-2.0

/**
 * The errors of a text, each once and in order: `RBAC: [a, b]` and `[b, a]` hold the same ones. A server walks bindings
 * in the order of a Go map, which is none, so the order in which it tells errors says nothing.
 */
export function errorsIn(text: string): readonly string[] {
  const inner = text.replace(/^RBAC: /, "").replace(/^\[(.*)\]$/s, "$1");
  return [...new Set(inner.split(", "))].toSorted();
}

/** True if both texts tell the same errors. */
export function tellSameErrors(ours: string, theirs: string): boolean {
  return ours === theirs || errorsIn(ours).join("\n") === errorsIn(theirs).join("\n");
}
