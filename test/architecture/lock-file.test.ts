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

test("every package that may be installed here, in CI or in the image has an integrity in the lock file", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, LockEntry>>;
  };
  const missing = Object.entries(packages)
    .filter(([path, entry]) => entry.integrity === undefined && !isExcused(entry) && path.startsWith("node_modules/"))
    .map(([path]) => path);
  expect(missing).toEqual(["node_modules/flotilla-ui"]); // the link to the workspace beside it
});
