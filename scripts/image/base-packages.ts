// SPDX-License-Identifier: Apache-2.0
// The sources of the base layer: Debian packages, each pinned by version and hash in base-packages.json.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { cacheRoot } from "../kubernetes-kit.ts";
import { openApt } from "./apt.ts";
import { ImageError } from "./image-error.ts";

/** The architectures of the image, by the names that images and Debian both use. */
export const architectures = ["amd64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

const packageSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** SHA-256 of the .deb file, in hexadecimal. */
  sha256: z.object({ amd64: z.string(), arm64: z.string() }),
});

const lockSchema = z.object({ release: z.string(), packages: z.array(packageSchema) });

/** The pinned packages. */
export type BaseLock = z.infer<typeof lockSchema>;
export type BasePackage = z.infer<typeof packageSchema>;

const lockFile = join(import.meta.dirname, "base-packages.json");

/** The lock file of the repository. */
function readBaseLock(): BaseLock {
  return lockSchema.parse(JSON.parse(readFileSync(lockFile, "utf8")));
}

/** Where the .deb files come from. */
export interface PackageSource {
  readonly env: NodeJS.ProcessEnv;
  /** A folder with .deb files of any name; it is searched before anything is fetched. */
  readonly folder?: string | undefined;
  readonly say: (line: string) => void;
  /** Called with each step of the build, for a progress line. */
  readonly show?: ((step: string) => void) | undefined;
  /** Stops the build between two steps. */
  readonly signal?: AbortSignal | undefined;
}

/** The cache of fetched and compressed image parts, each named by a hash. */
export function imageCache(env: NodeJS.ProcessEnv): string {
  return join(cacheRoot(env), "flotilla", "image");
}

/**
 * The .deb file of each pinned package, in the order of the lock: from the user's cache, from the given folder, else
 * fetched by apt from the machine's mirrors. Throws an ImageError with a remedy if one is not available with the pinned
 * hash.
 */
export function loadBasePackages(architecture: Architecture, source: PackageSource): ReadonlyMap<BasePackage, string> {
  const lock = readBaseLock();
  const cache = imageCache(source.env);
  mkdirSync(cache, { recursive: true });
  const fileOf = (each: BasePackage): string => join(cache, `${each.sha256[architecture]}.deb`);
  if (source.folder !== undefined) takeFrom(source.folder, lock.packages.map(fileOf));
  const missing = lock.packages.filter((each) => !existsSync(fileOf(each)));
  if (missing.length > 0) fetchPackages(lock.release, architecture, missing, source, fileOf);
  return new Map(lock.packages.map((each) => [each, fileOf(each)]));
}

/** Copies every wanted file of the folder into the cache; files are matched by hash. */
function takeFrom(folder: string, wanted: readonly string[]): void {
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".deb"))) {
    const bytes = readFileSync(join(folder, name));
    const target = wanted.find((file) => file.endsWith(`${sha256(bytes)}.deb`));
    if (target !== undefined) writeWhole(target, bytes);
  }
}

function fetchPackages(
  release: string,
  architecture: Architecture,
  packages: readonly BasePackage[],
  { env, say }: PackageSource,
  fileOf: (each: BasePackage) => string,
): void {
  const cache = imageCache(env);
  const names = packages.map(({ name, version }) => `${name}:${architecture}=${version}`);
  const listed = packages.map(
    (each) => `${each.name}_${each.version}_${architecture}.deb (sha256 ${each.sha256[architecture]})`,
  );
  const remedy =
    `Fetch ${listed.join(", ")} by other means and name their folder with --base-from, ` +
    "or take the newest versions with --update-base, which rewrites scripts/image/base-packages.json.";
  say(`fetching ${packages.length} packages of Debian ${release} for ${architecture}`);
  const scratch = mkdtempSync(join(cache, "fetch-"));
  try {
    const apt = openApt(release, scratch);
    const problem = apt.download(names, scratch);
    if (problem !== undefined) throw new ImageError(`apt could not fetch ${names.join(" ")}: ${problem} ${remedy}`);
    takeFrom(scratch, packages.map(fileOf));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const wrong = packages.filter((each) => !existsSync(fileOf(each)));
  if (wrong.length > 0)
    throw new ImageError(
      `${wrong.map(({ name }) => name).join(", ")} could not be fetched with the pinned hash. ${remedy}`,
    );
}

/**
 * Pins the newest version of every package in the lock, verified by Debian's signatures. Returns one line for each
 * change.
 */
export function updateBaseLock({ env }: Pick<PackageSource, "env">): readonly string[] {
  const lock = readBaseLock();
  const cache = imageCache(env);
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, "update-"));
  try {
    const apt = openApt(lock.release, scratch);
    const packages = lock.packages.map(({ name }) => {
      const [amd64, arm64] = architectures.map((architecture) => apt.newest(name, architecture));
      if (amd64 === undefined || arm64 === undefined || amd64.version !== arm64.version)
        throw new ImageError(
          `${name} does not have the same version for amd64 and arm64; try again when both are published.`,
        );
      return { name, version: amd64.version, sha256: { amd64: amd64.sha256, arm64: arm64.sha256 } };
    });
    writeFileSync(lockFile, `${JSON.stringify({ release: lock.release, packages }, undefined, 2)}\n`);
    const before = new Map(lock.packages.map(({ name, version }) => [name, version]));
    return packages
      .filter(({ name, version }) => before.get(name) !== version)
      .map(({ name, version }) => `${name}: ${before.get(name)} -> ${version}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Writes a file atomically. */
export function writeWhole(path: string, bytes: Uint8Array): void {
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, bytes);
  renameSync(partial, path);
}
