// SPDX-License-Identifier: Apache-2.0
// What can be read of a process from outside.
import { readFileSync } from "node:fs";

/** Resident memory as the kernel counts it: the same for a program in Go and one in Node. */
export function rssMibOf(pid: number): number {
  const kib = /^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

/**
 * Processor time used so far. The kernel counts in ticks of 10 ms, in the 14th and 15th field; the second is in
 * brackets and may hold anything.
 */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
