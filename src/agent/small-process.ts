// SPDX-License-Identifier: Apache-2.0
// What keeps an agent's process within 128 MiB at 50,000 objects (U-65), besides holding little: an agent makes much garbage while it
// lists, and both V8 and the C library would rather grow than look for it. Measured by bench/agent.ts; each line says what it is for.

/**
 * Flags of V8, which can be set while it runs. An agent lives on some 20 MiB, so to look for garbage more often costs little: the first
 * sync of 50,000 objects takes some 40 collections of about 20 ms in place of a few.
 */
export const smallHeapFlags: readonly string[] = [
  // Old objects may grow by a fifth before garbage among them is looked for, in place of up to fourfold: 60 MiB less.
  "--heap-growing-percent=20",
  // Pages that a collection has emptied go back to the system, and are not kept for the next growth: 10 MiB less.
  "--optimize-for-size",
  // Each of the two spaces for young objects stays at its first size, 1 MiB, and does not grow to 16: 28 MiB less.
  "--semi-space-growth-factor=1",
];

/** Variables of the C library (glibc; others leave them alone). It reads them at the start of a process only. */
export const smallMallocVariables: Readonly<Record<string, string>> = {
  // One heap for all threads, in place of one for each, which all keep what they once needed: 15 MiB less.
  MALLOC_ARENA_MAX: "1",
  // The default, but fixed: by itself glibc raises it, and then keeps blocks of up to 32 MiB that were freed: 3 MiB less.
  MALLOC_TRIM_THRESHOLD_: "131072",
  // Larger blocks are mapped one by one and go back when they are freed; among small ones they leave holes that nobody gives back: 4 MiB less.
  MALLOC_MMAP_THRESHOLD_: "32768",
};
