// SPDX-License-Identifier: Apache-2.0
// Settings that keep an agent's process within 128 MiB at 50,000 objects (U-65). An agent makes much garbage while it
// lists, and V8 and the C library grow by default before they collect or reuse it. Measured by bench/agent.ts.

/** V8 flags of an agent, which like the flags below can be set at run time. */
export const heapFlags: readonly string[] = [
  // Each of the two young spaces stays at its initial 1 MiB instead of growing to 16: 28 MiB less.
  "--semi-space-growth-factor=1",
];

/** V8 flags while an agent lists. Its live heap is some 20 MiB, so frequent collections cost little. */
export const busyHeapFlags: readonly string[] = [
  // The old generation may grow by three fifths before a collection, instead of up to fourfold: 50 MiB less.
  "--heap-growing-percent=60",
  "--no-optimize-for-size",
];

/** V8 flags of an agent at rest. In a first sync they take a sixth more processor time and 8 MiB less at its peak. */
export const restHeapFlags: readonly string[] = [
  "--heap-growing-percent=20",
  // Pages that a collection has emptied are returned to the system instead of kept for later growth: 10 MiB less.
  "--optimize-for-size",
];

/** Environment variables of glibc, which other C libraries ignore. It reads them only at the start of a process. */
export const smallMallocVariables: Readonly<Record<string, string>> = {
  // One arena for all threads instead of one each, all of which keep the most they ever needed: 15 MiB less.
  MALLOC_ARENA_MAX: "1",
  // The default, but fixed: glibc raises it by itself and then keeps freed blocks of up to 32 MiB: 3 MiB less.
  MALLOC_TRIM_THRESHOLD_: "131072",
  // Larger blocks are mapped one by one and returned when freed. Among small ones they leave holes that are never
  // returned: 4 MiB less.
  MALLOC_MMAP_THRESHOLD_: "32768",
};
