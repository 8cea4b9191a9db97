// SPDX-License-Identifier: Apache-2.0

/**
 * True for a text with a key that ends in a quotation mark, which JSON.parse of Node 26 may misread: after an object
 * with the key `\`, it reads the key `"` as `\`. Such texts need the exact reader. Remove when Node reads `{"\\\\":1}`
 * and then `{"\\"":1}` correctly.
 */
export function mayMisreadKey(text: string): boolean {
  return /\\(?:"|u0022)"[ \t\n\r]*:/.test(text);
}
