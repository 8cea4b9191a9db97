// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";

/** The most resident memory that the process ever had, as the kernel counts it. */
export function peakRssMibOf(pid: number): number {
  const kib = /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}
