// SPDX-License-Identifier: Apache-2.0
// The kubectls of this machine. Some installations hold one for each minor version beside a `kubectl` that chooses
// among them.
import { globSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { findKit } from "../../kubernetes/find-kit.ts";

/** One program to test with. */
export interface Kubectl {
  /** How tests name it: `1.27`, `kit` for the one of the Kubernetes kit, `on PATH` for the one that a user starts. */
  readonly label: string;
  readonly path: string;
}

/** Every kubectl there is: the one on PATH, those beside it from the oldest to the newest, the kit's. */
export function findKubectls(env: NodeJS.ProcessEnv = process.env): readonly Kubectl[] {
  const found: Kubectl[] = [];
  const onPath = (env["PATH"] ?? "").split(delimiter).find((folder) => globSync(join(folder, "kubectl")).length > 0);
  if (onPath !== undefined) {
    const path = join(onPath, "kubectl");
    found.push({ label: "on PATH", path });
    found.push(...findBeside(dirname(realpathSync(path))));
  }
  const kit = findKit(env);
  if (kit !== undefined) found.push({ label: "kit", path: kit.kubectl });
  return found;
}

function findBeside(folder: string): readonly Kubectl[] {
  return globSync(join(folder, "kubectl.1.*"))
    .map((path) => ({ label: basename(path).slice("kubectl.".length), path }))
    .filter(({ label }) => /^1\.\d+$/.test(label))
    .toSorted((left, right) => minorOf(left.label) - minorOf(right.label));
}

/** The minor version that a label tells; the kit and whatever is on PATH count as the newest. */
export function minorOf(label: string): number {
  const minor = /^1\.(\d+)$/.exec(label)?.[1];
  return minor === undefined ? Number.POSITIVE_INFINITY : Number(minor);
}
