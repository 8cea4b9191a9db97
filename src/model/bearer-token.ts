// SPDX-License-Identifier: Apache-2.0

/** A token68 of RFC 7235, at most 4 kB: ours are below 100 characters, other issuers' signed ones are some kB. */
const token68 = /^[A-Za-z0-9._~+/-]{1,4096}={0,4}$/;

/** True for a text that can be sent as `Authorization: Bearer TEXT`. Every hub refuses other texts. */
export function isBearerToken(text: string): boolean {
  return token68.test(text);
}
