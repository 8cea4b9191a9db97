// SPDX-License-Identifier: Apache-2.0
// An unpacked image, and programs that run in it with nothing of the machine's file system.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { userId } from "../../scripts/image/base-layer.ts";
import type { PlatformImage } from "../../scripts/image/oci-image.ts";

/**
 * As a container runtime prepares it: the root read-only, /proc, a device that swallows, and one folder that can be
 * written.
 */
const prepare = `set -e
root=$1 data=$2
shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null urandom; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mount --bind "$data" "$root/var/lib/flotilla"
mount -o remount,bind,ro "$root"
exec chroot --userspec=${userId}:${userId} "$root" "$@"
`;

/** Why no program can be run in a root of its own here; undefined if it can. */
export function whyNoNamespaces(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "needs root on Linux, to mount and to change the root";
  const tried = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { encoding: "utf8" });
  if (tried.status === 0) return undefined;
  return `a mount namespace cannot be made here: ${tried.error?.message ?? tried.stderr.trim()}`;
}

/** Puts the layers of an image over each other in `folder`, with the machine's tar, as a runtime does. */
function unpackImage({ layers }: PlatformImage, folder: string): void {
  mkdirSync(folder);
  for (const { bytes } of layers) {
    const done = spawnSync("tar", ["--extract", "--gzip", "--preserve-permissions", "--numeric-owner", "-C", folder], {
      input: bytes,
    });
    if (done.status !== 0) throw new Error(`a layer cannot be unpacked: ${done.stderr.toString()}`);
  }
}

/** A program that ran to its end. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The image's file system, in which its program runs as the image's configuration says. */
export class ImageRoot {
  readonly #root: string;
  readonly #dataFolder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #entrypoint: readonly string[];

  /** `config` is the field `config` of the image's configuration. The data folder is made below `folder`. */
  constructor(platform: PlatformImage, folder: string) {
    const parsed: { config: { Env: string[]; Entrypoint: string[] } } = JSON.parse(platform.config.bytes.toString());
    this.#env = Object.fromEntries(parsed.config.Env.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
    this.#entrypoint = parsed.config.Entrypoint;
    this.#root = join(folder, "root");
    this.#dataFolder = join(folder, "data");
    unpackImage(platform, this.#root);
    mkdirSync(this.#dataFolder, { mode: 0o700 });
    chownSync(this.#dataFolder, userId, userId);
  }

  /** Writes a file that the program sees as /var/lib/flotilla/NAME. */
  writeData(name: string, text: string): void {
    const path = join(this.#dataFolder, name);
    writeFileSync(path, text);
    chownSync(path, userId, userId);
  }

  /** Starts the image's entrypoint with these words. The caller ends it. */
  start(words: readonly string[], entrypoint = this.#entrypoint): ChildProcess {
    const args = ["--mount", "sh", "-c", prepare, "sh", this.#root, this.#dataFolder, ...entrypoint, ...words];
    // The tools that prepare the root are the machine's; `chroot` hands the variables on.
    const env = { ...this.#env, PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
    return spawn("unshare", args, { env, stdio: ["ignore", "pipe", "pipe"] });
  }

  /** Runs it to its end. */
  async run(words: readonly string[], entrypoint?: readonly string[]): Promise<Ended> {
    const child = this.start(words, entrypoint);
    let [stdout, stderr] = ["", ""];
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const code = await new Promise<number | null>((done) => child.once("close", done));
    return { code, stdout, stderr };
  }
}
