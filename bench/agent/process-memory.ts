// SPDX-License-Identifier: Apache-2.0
// Resident memory of a process, as the kernel counts it and without the pages of files.
import { readFileSync } from "node:fs";

/** Resident memory of a process. */
export interface Memory {
  /** At rest: everything that is mapped and present (VmRSS). */
  readonly settledMib: number;
  /** The peak of VmRSS (VmHWM). */
  readonly peakMib: number;
  /**
   * At rest: what only this process has (RssAnon and RssShmem). The rest of its RSS is pages of files, nearly all of
   * Node's program: clean, shared by all Node processes, and returned when memory is short. How many are present
   * depends on how the kernel has cached the file: 58 to 85 MiB for the same agent.
   */
  readonly ownSettledMib: number;
  /**
   * The peak less the pages of files that are present now (VmHWM less RssFile): the kernel keeps no peak of RssAnon.
   * Pages of files that came after the peak make it too small by some MiB.
   */
  readonly ownPeakMib: number;
}

/** The memory of the process now, by the kernel. Linux only. */
function readMemory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mib = (name: string): number => Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, "m").exec(status)?.[1]) / 1024;
  const [settledMib, peakMib, fileMib] = [mib("VmRSS"), mib("VmHWM"), mib("RssFile")];
  return { settledMib, peakMib, ownSettledMib: mib("RssAnon") + mib("RssShmem"), ownPeakMib: peakMib - fileMib };
}

/** Reads the memory each second for `seconds`: the least at rest, and the last peak. */
export async function measureMemory(pid: number, seconds: number): Promise<Memory> {
  let memory = readMemory(pid);
  for (let second = 0; second < seconds; second += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { settledMib, ownSettledMib } = memory;
    const now = readMemory(pid);
    memory = {
      ...now,
      settledMib: Math.min(settledMib, now.settledMib),
      ownSettledMib: Math.min(ownSettledMib, now.ownSettledMib),
    };
  }
  return memory;
}
