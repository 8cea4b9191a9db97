// SPDX-License-Identifier: Apache-2.0

/** One npm package with Node for a platform, and the hash of its archive. */
export interface PinnedNodeEntry {
  readonly name: string;
  readonly integrity: string;
}

export const pinnedNode: {
  readonly version: string;
  readonly platforms: Readonly<Record<"linux-x64" | "linux-arm64" | "darwin-arm64" | "darwin-x64", PinnedNodeEntry>>;
};

export function filesOfNode<const Paths extends readonly string[]>(
  archive: Uint8Array,
  entry: PinnedNodeEntry,
  paths: Paths,
): { readonly [Index in keyof Paths]: Uint8Array };
