// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultImageName } from "../../src/model/image-name.ts";
import { buildPackage } from "../build-package.ts";
import { readText } from "../package-manifest.ts";
import { root } from "../project.ts";
import { type Architecture, loadBasePackages, type PackageSource, writeWhole } from "./base-packages.ts";
import { ImageError } from "./image-error.ts";
import { createLayers, nodePath } from "./layers.ts";
import { createImage, createPlatformImage, type Image, type ImageFacts, type PlatformImage } from "./oci-image.ts";
import { createArchive, writeLayout } from "./write-image.ts";

/**
 * The image's metadata, from package.json, git and SOURCE_DATE_EPOCH
 * (https://reproducible-builds.org/specs/source-date-epoch/).
 */
export function readImageFacts(env: NodeJS.ProcessEnv): ImageFacts {
  const own: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const git = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  const given = env["SOURCE_DATE_EPOCH"] ?? "0";
  if (!/^\d{1,11}$/.test(given))
    throw new ImageError(`SOURCE_DATE_EPOCH is ${JSON.stringify(given)}, which is not a number of seconds since 1970.`);
  return {
    version: readText(own, "version"),
    description: readText(own, "description"),
    licence: readText(own, "license"),
    revision: git.status === 0 ? git.stdout.trim() : undefined,
    createdSeconds: Number(given),
  };
}

/** Builds the package and its image, in memory. */
export async function buildImage(
  architectures: readonly Architecture[],
  facts: ImageFacts,
  source: PackageSource,
): Promise<Image> {
  const scratch = mkdtempSync(join(tmpdir(), "flotilla-image-"));
  try {
    const packageDir = join(scratch, "package");
    source.show?.("bundling the program");
    const [missing] = await buildPackage(packageDir, `/${nodePath}`);
    if (missing !== undefined)
      throw new ImageError(`${missing} does not exist, and an image needs it; run npm run build once.`);
    const platforms: PlatformImage[] = [];
    for (const architecture of architectures) {
      source.say(`packing for ${architecture}`);
      platforms.push(createPlatformImage(architecture, await createLayers(architecture, packageDir, source), facts));
    }
    return createImage(platforms, facts);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The default name of the image. */
export function imageNameOf({ version }: ImageFacts): string {
  return defaultImageName(version);
}

/**
 * Writes the image below a folder: the layout `oci`, one archive per architecture, and in `base` the Debian packages it
 * was built from. Keep these with a release, because mirrors delete them. Each file gets its name only when it is
 * complete. Returns the written paths.
 */
export function writeImage(folder: string, image: Image, name: string, source: PackageSource): readonly string[] {
  const layout = join(folder, "oci");
  writeLayout(layout, image, name);
  const base = join(folder, "base");
  mkdirSync(base, { recursive: true });
  const archives = image.platforms.map((platform) => {
    for (const [each, file] of loadBasePackages(platform.architecture, source))
      writeWhole(join(base, `${each.name}_${each.version}_${platform.architecture}.deb`), readFileSync(file));
    const path = join(folder, `flotilla-${platform.architecture}.tar`);
    writeWhole(path, createArchive(platform, name));
    return path;
  });
  return [layout, ...archives, base];
}
