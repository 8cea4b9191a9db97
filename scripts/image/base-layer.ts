// SPDX-License-Identifier: Apache-2.0
// The lowest layer: the C and C++ libraries that Node is linked with, and the files that a Linux system without a shell
// needs.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import type { BasePackage } from "./base-packages.ts";
import { readElf } from "./elf.ts";
import { ImageError } from "./image-error.ts";
import { readTar, type TarEntry } from "./tar.ts";

/** The user of the image, also used in the agent's manifest: "nonroot" of distroless images. */
export const userId = 65_532;

/** The folder owned by that user; a hub keeps its state there. */
export const dataFolder = "var/lib/flotilla";

/**
 * Files kept from the packages besides the libraries: the system's identification, which scanners read, and the
 * licences.
 */
const keptFiles =
  /^(etc\/debian_version|usr\/lib\/os-release|usr\/share\/common-licenses\/.+|usr\/share\/doc\/[^/]+(\/copyright)?)$/;

/**
 * The base layer: the files that `programs` need from the packages (.deb files). Throws an ImageError if a library is
 * in none of them.
 */
export function createBaseLayer(
  packages: ReadonlyMap<BasePackage, string>,
  programs: readonly Uint8Array[],
): readonly TarEntry[] {
  const contents = [...packages].map(([{ name }, file]) => ({ name, file, entries: unpack(file) }));
  const all = contents.flatMap(({ entries }) => entries);
  const kept = all.filter(({ path, type }) => type !== "folder" && keptFiles.test(path));
  const records = contents.map(({ name, file }): TarEntry => {
    const bytes = runDpkg(["--field", file]);
    return { path: `var/lib/dpkg/status.d/${name}`, type: "file", mode: 0o644, bytes };
  });
  return [...systemFiles(), ...kept, ...records, ...findLibraries(all, programs)];
}

function unpack(file: string): readonly TarEntry[] {
  return readTar(runDpkg(["--fsys-tarfile", file]));
}

/** Far above the size of any package used here; libc6 unpacks to 13 MB. */
const maxUnpackedBytes = 256 * 1024 * 1024;

function runDpkg(args: readonly string[]): Buffer {
  const done = spawnSync("dpkg-deb", [...args], { maxBuffer: maxUnpackedBytes });
  if (done.error !== undefined)
    throw new ImageError(`dpkg-deb cannot be run (${done.error.message}); install the package dpkg.`);
  if (done.status !== 0) throw new ImageError(`dpkg-deb ${args.join(" ")} failed: ${done.stderr.toString().trim()}`);
  return done.stdout;
}

/** Every library and loader that the programs need, directly or indirectly, with the links to it. */
function findLibraries(entries: readonly TarEntry[], programs: readonly Uint8Array[]): readonly TarEntry[] {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const found = new Map<string, TarEntry>();
  const visit = (bytes: Uint8Array): void => {
    const { interpreter, needed } = readElf(bytes) ?? { interpreter: undefined, needed: [] };
    if (interpreter !== undefined) take(`usr${interpreter}`);
    for (const name of needed) take(entries.find(({ path }) => isLibrary(path, name))?.path ?? name);
  };
  const take = (path: string): void => {
    const entry = byPath.get(path);
    if (entry === undefined) throw new ImageError(`${path} is in no package that base-packages.json names`);
    if (found.has(path)) return;
    found.set(path, entry);
    if (entry.type === "link") take(join(dirname(path), entry.target));
    if (entry.type === "file") visit(entry.bytes);
  };
  for (const program of programs) visit(program);
  return [...found.values()];
}

/** The loader's search path: `lib` and its architecture folder, without subfolders. */
function isLibrary(path: string, name: string): boolean {
  return /^usr\/lib(64)?\/([^/]+-linux-gnu\/)?[^/]+$/.test(path) && path.endsWith(`/${name}`);
}

function systemFiles(): readonly TarEntry[] {
  const file = (path: string, text: string): TarEntry => ({
    path,
    type: "file",
    mode: 0o644,
    bytes: Buffer.from(text),
  });
  const link = (path: string, target: string): TarEntry => ({ path, type: "link", mode: 0o777, target });
  return [
    ...["bin", "lib", "lib64", "sbin"].map((name) => link(name, `usr/${name}`)),
    ...["usr/bin", "usr/lib64", "usr/sbin", "dev", "proc", "run", "sys"].map(
      (path): TarEntry => ({ path, type: "folder", mode: 0o755 }),
    ),
    { path: "tmp", type: "folder", mode: 0o1777 },
    { path: dataFolder, type: "folder", mode: 0o700, owner: userId },
    link("etc/os-release", "../usr/lib/os-release"),
    file(
      "etc/passwd",
      `root:x:0:0:root:/:/sbin/nologin\nflotilla:x:${userId}:${userId}::/${dataFolder}:/sbin/nologin\n`,
    ),
    file("etc/group", `root:x:0:\nflotilla:x:${userId}:\n`),
    file("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
  ];
}
