// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/project.ts";

interface LockEntry {
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** CONTRIBUTING.md, "Lock file": optional tools of development, for platforms other than Linux on x64 and arm64. */
function isExcused({ dev, optional, os = [], cpu = [] }: LockEntry): boolean {
  const isOurs = os.includes("linux") && (cpu.includes("x64") || cpu.includes("arm64"));
  return dev === true && optional === true && !isOurs;
}

/** The installed packages of a lock file that have no integrity. */
function unprovenPackages(lockFile: string): readonly (readonly [path: string, entry: LockEntry])[] {
  const { packages } = JSON.parse(readFileSync(join(root, lockFile), "utf8")) as {
    readonly packages: Readonly<Record<string, LockEntry>>;
  };
  return Object.entries(packages).filter(
    ([path, { integrity }]) => integrity === undefined && path.startsWith("node_modules/"),
  );
}

test("every package that may be installed here, in CI or in the image has an integrity in the lock file", () => {
  const missing = unprovenPackages("package-lock.json").filter(([, entry]) => !isExcused(entry));
  expect(missing.map(([path]) => path)).toEqual(["node_modules/flotilla-ui"]); // the link to the workspace beside it
});

test("every database of the query bench that is installed on Linux on x64 has an integrity in its lock file", () => {
  const missing = unprovenPackages("bench/query/peers/package-lock.json");
  const isOurs = ({ optional, os = [], cpu = [] }: LockEntry): boolean =>
    optional !== true || (os.includes("linux") && cpu.includes("x64"));
  expect(missing.filter(([, entry]) => isOurs(entry))).toEqual([]);
});

test.each(["package-lock.json", "bench/query/peers/package-lock.json"])("%s names no registry", (lockFile) => {
  expect(readFileSync(join(root, lockFile), "utf8")).not.toContain('"resolved": "http');
});
