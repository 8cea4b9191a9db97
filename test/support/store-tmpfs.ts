// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import { openScratch } from "./store-under-test.ts";

/** A folder on a disk of its own that really fills up; gone when disposed. */
export interface SmallDisk extends Disposable {
  path(name: string): string;
  /** Gives it more room, or takes the right to write away. */
  remount(options: string): void;
}

function mount(...args: readonly string[]): boolean {
  return spawnSync("mount", args, { stdio: "ignore" }).status === 0;
}

/** A tmpfs of this size; undefined where this process may not mount one. */
export function openSmallDisk(sizeKib: number): SmallDisk | undefined {
  const scratch = openScratch();
  if (!mount("-t", "tmpfs", "-o", `size=${sizeKib}k`, "none", scratch.folder)) {
    scratch[Symbol.dispose]();
    return undefined;
  }
  return {
    path: scratch.path,
    remount(options) {
      if (!mount("-o", `remount,${options}`, scratch.folder)) throw new Error(`cannot remount with ${options}`);
    },
    [Symbol.dispose]() {
      spawnSync("umount", [scratch.folder], { stdio: "ignore" });
      scratch[Symbol.dispose]();
    },
  };
}

/** Whether tests on a small disk can run here: on Linux, as root or with the right to mount. */
export function canMount(): boolean {
  using disk = openSmallDisk(64);
  return disk !== undefined;
}
