// SPDX-License-Identifier: Apache-2.0

/** The hub's public address, and how clients authenticate it. */
export interface PublicName {
  /** `https://host:port`. */
  readonly url: string;
  readonly trust: HubTrust;
  /** True if only the hub's own machine reaches that name. */
  readonly isLoopback: boolean;
}

/**
 * `public`: the certificate is signed by a public CA. `pinned`: it is not; agents trust only `ca`, and `keySha256` is
 * the base64 SHA-256 of the server's public key, as for curl's `--pinnedpubkey`.
 */
export type HubTrust =
  | { readonly kind: "public" }
  | { readonly kind: "pinned"; readonly ca: string; readonly keySha256: string };

/** The URL of the manifest. */
export function joinUrl({ url }: PublicName, code: string): string {
  return `${url}${joinPath}${code}.yaml`;
}

/** The path prefix of join URLs. */
export const joinPath = "/join/v1/";

/**
 * One shell line for a user with kubectl. kubectl accepts a URL but cannot pin a key, so a self-made certificate needs
 * curl: `-k` skips the CA check, and the pin, which curl always checks, replaces it.
 */
export function joinCommand(name: PublicName, code: string): string {
  const url = joinUrl(name, code);
  if (name.trust.kind === "public") return `kubectl apply -f '${url}'`;
  return `curl -fsSk --pinnedpubkey 'sha256//${name.trust.keySha256}' '${url}' | kubectl apply -f -`;
}
