// SPDX-License-Identifier: Apache-2.0

/** How clusters reach the hub and know that it is the hub. */
export interface PublicName {
  /** `https://host:port`. */
  readonly url: string;
  readonly trust: HubTrust;
  /** True where only the hub's own machine reaches that name. */
  readonly isLoopback: boolean;
}

/**
 * `public`: the certificate comes from an authority that everybody trusts. `pinned`: it does not; `ca` is the authority that agents trust alone, and
 * `keySha256` the hash of the server's public key in base64, as curl's `--pinnedpubkey` takes it.
 */
export type HubTrust =
  | { readonly kind: "public" }
  | { readonly kind: "pinned"; readonly ca: string; readonly keySha256: string };

/** The manifest's address. */
export function joinUrl({ url }: PublicName, code: string): string {
  return `${url}${joinPath}${code}.yaml`;
}

/** What the paths of join URLs begin with. */
export const joinPath = "/join/v1/";

/**
 * One line for a shell that has kubectl. kubectl takes a URL but cannot pin a key, so where the certificate is the hub's own the line has
 * curl: `-k` leaves out the check of the authority, and the pin, which curl checks in any case, takes its place.
 */
export function joinCommand(name: PublicName, code: string): string {
  const url = joinUrl(name, code);
  if (name.trust.kind === "public") return `kubectl apply -f '${url}'`;
  return `curl -fsSk --pinnedpubkey 'sha256//${name.trust.keySha256}' '${url}' | kubectl apply -f -`;
}
