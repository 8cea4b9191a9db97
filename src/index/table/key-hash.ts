// SPDX-License-Identifier: Apache-2.0
// `bucketHash` of src/model for keys that lie inside larger byte arrays: no view is created per key.

const slash = 0x2f;
const prime = 0x01000193;

/** The state after the namespace and the slash. It is the same for all keys of a namespace. */
export function hashNamespace(bytes: Uint8Array, from: number, end: number): number {
  let sum = 0x811c9dc5;
  for (let at = from; at < end; at += 1) sum = Math.imul(sum ^ (bytes[at] ?? 0), prime);
  return Math.imul(sum ^ slash, prime);
}

/** The hash of the key of a name in the namespace with this state. */
export function hashName(namespaceState: number, bytes: Uint8Array, from: number, end: number): number {
  let sum = namespaceState;
  for (let at = from; at < end; at += 1) sum = Math.imul(sum ^ (bytes[at] ?? 0), prime);
  let hash = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
