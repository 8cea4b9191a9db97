// SPDX-License-Identifier: Apache-2.0
// Fetches Debian packages with apt. It uses its own state: the machine's source list supplies the mirrors, and nothing
// on the machine changes.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ImageError } from "./image-error.ts";

/** A package on the mirrors. */
export interface NewestPackage {
  readonly version: string;
  /** Hash of the .deb file in hexadecimal, from an index signed by Debian. */
  readonly sha256: string;
}

/** Packages of one release of Debian, for amd64 and arm64. */
export interface Apt {
  /**
   * Fetches packages, each as `NAME:ARCHITECTURE=VERSION`, into a folder. Returns undefined on success, otherwise apt's
   * error.
   */
  download(names: readonly string[], folder: string): string | undefined;
  newest(name: string, architecture: string): NewestPackage | undefined;
}

/** Keys of Debian's releases, as installed by its package. */
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/**
 * Reads the indices of a release into `folder`, which the caller removes. Throws an ImageError if the machine has no
 * apt or no mirror.
 */
export function openApt(release: string, folder: string): Apt {
  const sources = join(folder, "sources.list");
  for (const each of ["state/lists/partial", "cache/archives/partial"])
    mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(sources, mirrorLines(release));
  const settings = [
    `Dir::State=${join(folder, "state")}`,
    "Dir::State::status=/dev/null",
    `Dir::Cache=${join(folder, "cache")}`,
    `Dir::Etc::sourcelist=${sources}`,
    "Dir::Etc::sourceparts=-",
    "APT::Architectures::=amd64",
    "APT::Architectures::=arm64",
    "APT::Sandbox::User=", // run as the caller: the sandbox user cannot write into the caller's folder
    "Acquire::Languages=none",
  ].flatMap((setting) => ["-o", setting]);
  const run = (program: string, args: readonly string[]) =>
    spawnSync(program, [...settings, ...args], { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const updated = run("apt-get", ["update", "--quiet=2"]);
  if (updated.status !== 0)
    throw new ImageError(`apt cannot read the indices of Debian ${release}: ${reasonIn(updated)}`);
  return {
    download: (names, into) => {
      const done = spawnSync("apt-get", [...settings, "download", "--quiet=2", ...names], {
        cwd: into,
        encoding: "utf8",
      });
      return done.status === 0 ? undefined : reasonIn(done);
    },
    newest: (name, architecture) => {
      const { stdout } = run("apt-cache", ["show", "--no-all-versions", `${name}:${architecture}`]);
      const [, version] = /^Version: (.+)$/m.exec(stdout) ?? [];
      const [, sha256] = /^SHA256: (.+)$/m.exec(stdout) ?? [];
      return version === undefined || sha256 === undefined ? undefined : { version, sha256 };
    },
  };
}

/** Source list lines for a release, with the Debian mirrors of the machine's own list. */
function mirrorLines(release: string): string {
  const format = "$(REPO_URI) $(ORIGIN) $(LABEL)";
  const listed = spawnSync("apt-get", ["indextargets", "Created-By: Packages", "--format", format], {
    encoding: "utf8",
  });
  const found = listed.error === undefined ? listed.stdout.split("\n").map((line) => line.split(" ")) : [];
  const ofDebian = found.filter(([, origin]) => origin === "Debian");
  const lines = ofDebian.map(([uri, , label]) => {
    const suite = label === "Debian-Security" ? `${release}-security` : release;
    return `deb [arch=amd64,arm64 signed-by=${keyring}] ${uri} ${suite} main`;
  });
  if (lines.length > 0) return `${[...new Set(lines)].join("\n")}\n`;
  throw new ImageError(
    "the base of the image consists of Debian packages, and this machine has no apt with a Debian mirror (`apt-get update` reads it). " +
      "Run this on Debian, or give --base-from FOLDER with the .deb files that scripts/image/base-packages.json names.",
  );
}

function reasonIn({ stderr, error }: { readonly stderr: string; readonly error?: Error }): string {
  return error?.message ?? stderr.trim().split("\n").slice(0, 3).join(" ");
}
