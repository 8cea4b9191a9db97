// SPDX-License-Identifier: Apache-2.0
// The three layers of the image, least frequently changed first: base, Node, Flotilla.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip, constants as zlib } from "node:zlib";
import { binPath } from "../package-entry.ts";
import { filesOfNode, pinnedNode } from "../pinned-node.mjs";
import { createBaseLayer } from "./base-layer.ts";
import { type Architecture, imageCache, loadBasePackages, type PackageSource, writeWhole } from "./base-packages.ts";
import { stripElf } from "./elf.ts";
import { ImageError } from "./image-error.ts";
import { type TarEntry, writeTar } from "./tar.ts";

/** Paths of the package and Node in the image. */
const programFolder = "opt/flotilla";
export const nodePath = "usr/bin/node";

/** One layer. */
export interface Layer {
  /** Its content, for the image's history. */
  readonly title: string;
  readonly entries: readonly TarEntry[];
  /** The archive compressed with gzip. */
  readonly blob: Buffer<ArrayBuffer>;
  /** `sha256:` of the archive before compression. */
  readonly diffId: string;
}

/**
 * The layers for one architecture; `packageDir` is the built package. Rejects with the reason of the source's signal.
 */
export async function createLayers(
  architecture: Architecture,
  packageDir: string,
  source: PackageSource,
): Promise<readonly Layer[]> {
  const archive = loadNodeArchive(architecture, source);
  const entry = pinnedNode.platforms[nodePlatforms[architecture]];
  const [whole, licence] = filesOfNode(archive, entry, ["bin/node", "LICENSE"]);
  const program = stripElf(whole);
  const nodeEntries: readonly TarEntry[] = [
    { path: nodePath, type: "file", mode: 0o755, bytes: program },
    { path: "usr/share/doc/node/copyright", type: "file", mode: 0o644, bytes: licence },
  ];
  const base = createBaseLayer(loadBasePackages(architecture, source), [program]);
  const contents: readonly (readonly [string, readonly TarEntry[]])[] = [
    ["libraries of Debian", base],
    [`Node ${pinnedNode.version}`, nodeEntries],
    ["Flotilla", packageEntries(packageDir)],
  ];
  const layers: Layer[] = [];
  for (const [title, entries] of contents) {
    source.show?.(`packing for ${architecture}: ${title}`);
    layers.push(await toLayer(title, entries, source));
  }
  return layers;
}

const nodePlatforms = { amd64: "linux-x64", arm64: "linux-arm64" } as const;

/** The npm archive with Node for that architecture: from the user's cache, else fetched by npm. */
function loadNodeArchive(architecture: Architecture, { env, say }: PackageSource): Buffer {
  const { name, integrity } = pinnedNode.platforms[nodePlatforms[architecture]];
  const cached = join(imageCache(env), `${createHash("sha256").update(integrity).digest("hex")}.tgz`);
  if (existsSync(cached)) return readFileSync(cached);
  mkdirSync(imageCache(env), { recursive: true });
  const scratch = mkdtempSync(join(imageCache(env), "node-"));
  try {
    say(`fetching Node ${pinnedNode.version} for ${architecture}`);
    const args = ["pack", `${name}@${pinnedNode.version}`, "--silent", "--pack-destination", scratch];
    const done = spawnSync("npm", args, { cwd: scratch, env, encoding: "utf8" });
    const file = readdirSync(scratch).find((each) => each.endsWith(".tgz"));
    if (done.status !== 0 || file === undefined)
      throw new ImageError(
        `npm could not fetch ${name}@${pinnedNode.version}: ${done.error?.message ?? done.stderr.trim()}`,
      );
    const bytes = readFileSync(join(scratch, file));
    filesOfNode(bytes, pinnedNode.platforms[nodePlatforms[architecture]], []);
    writeWhole(cached, bytes);
    return bytes;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The files of the package without source maps, which are not needed at run time, and the link to its command. */
function packageEntries(packageDir: string): readonly TarEntry[] {
  const names = readdirSync(packageDir, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => join(packageDir, name)).filter((path) => statSync(path).isFile());
  return [
    ...files
      .filter((path) => !path.endsWith(".map"))
      .map((path): TarEntry => {
        const name = relative(packageDir, path);
        const mode = name === binPath ? 0o755 : 0o644;
        return { path: `${programFolder}/${name}`, type: "file", mode, bytes: readFileSync(path) };
      }),
    { path: "usr/bin/flotilla", type: "link", mode: 0o777, target: `../../${programFolder}/${binPath}` },
  ];
}

async function toLayer(title: string, entries: readonly TarEntry[], { env, signal }: PackageSource): Promise<Layer> {
  // A signal that arrived while files were read is handled only between two turns of the event loop.
  await setImmediate();
  signal?.throwIfAborted();
  const tar = writeTar(entries);
  const hash = createHash("sha256").update(tar).digest("hex");
  return { title, entries, blob: await compress(tar, hash, env), diffId: `sha256:${hash}` };
}

/** gzip's value for "unknown" in the operating system byte, which would otherwise differ between Linux and macOS. */
const unknownSystem = 255;
const systemByteAt = 9;

/** Larger archives are cached in compressed form: Node takes half a minute to compress and changes rarely. */
const cachedFromBytes = 64 * 1024 * 1024;

async function compress(tar: Buffer, hash: string, env: NodeJS.ProcessEnv): Promise<Buffer<ArrayBuffer>> {
  const cached = join(imageCache(env), `${hash}-zlib-${process.versions.zlib}-${process.arch}.tar.gz`);
  if (existsSync(cached)) return readFileSync(cached);
  const blob = await promisify(gzip)(tar, { level: zlib.Z_BEST_COMPRESSION });
  blob[systemByteAt] = unknownSystem;
  if (tar.length >= cachedFromBytes) writeWhole(cached, blob);
  return blob;
}
