// SPDX-License-Identifier: Apache-2.0

/** SHA-256 of a document in hexadecimal: equal documents have equal hashes, in every process. */
export async function contentHash(body: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", body)).toHex();
}
