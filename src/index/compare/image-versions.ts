// SPDX-License-Identifier: Apache-2.0
import { parseImageName } from "../../model/image-name.ts";
import { compareUtf8 } from "../../model/text.ts";
import { compareSoftwareVersions } from "./software-version.ts";

/** The versions of one image that clusters run. More than one is a skew. */
export interface ImageVersions {
  /** The path without the registry, because clusters may use mirrors. */
  readonly repository: string;
  /** The newest first. */
  readonly versions: readonly ImageVersion[];
}

export interface ImageVersion {
  /** The tag; the digest in short for an image without one; `latest` for neither. */
  readonly version: string;
  /** In bytewise order. */
  readonly clusters: readonly string[];
}

/** The versions of each image, by repository. Texts that are not image names are left out. */
export function imageVersions(
  images: Iterable<readonly [cluster: string, images: readonly string[]]>,
): readonly ImageVersions[] {
  const byRepository = new Map<string, Map<string, Set<string>>>();
  for (const [cluster, names] of images)
    for (const name of names) {
      const parsed = parseImageName(name);
      if (parsed === undefined) continue;
      const versions = byRepository.get(parsed.path) ?? new Map<string, Set<string>>();
      byRepository.set(parsed.path, versions);
      const version = parsed.tag ?? parsed.digest?.slice(0, parsed.digest.indexOf(":") + 13) ?? "latest";
      versions.set(version, (versions.get(version) ?? new Set()).add(cluster));
    }
  return [...byRepository]
    .sort(([a], [b]) => compareUtf8(a, b))
    .map(([repository, versions]) => ({
      repository,
      versions: [...versions]
        .sort(([a], [b]) => compareSoftwareVersions(a, b))
        .map(([version, clusters]) => ({ version, clusters: [...clusters].sort(compareUtf8) })),
    }));
}
