// SPDX-License-Identifier: Apache-2.0

/** Arrays below this length double; larger ones grow by a quarter, so that little memory is unused. */
const doubledLength = 4_096;

/** The length of an array that has to hold `needed` elements and holds `length` now. */
export function grownLength(length: number, needed: number): number {
  return Math.max(needed, length < doubledLength ? length * 2 : Math.ceil(length * 1.25));
}

/** An upper bound of the length of such an array after it has grown to `needed` elements in any number of steps. */
export function boundLength(length: number, needed: number): number {
  if (needed <= length) return length;
  return needed < 2 * doubledLength ? needed * 2 : Math.ceil(needed * 1.25);
}

/** A table of slots is full above a load of three quarters: probe sequences grow long. */
export function isFull(count: number, slotCount: number): boolean {
  return count * 4 > slotCount * 3;
}

/** The number of slots for `count` entries: a power of two. */
export function slotCountFor(count: number, least: number): number {
  let slotCount = least;
  while (isFull(count, slotCount)) slotCount *= 2;
  return slotCount;
}

/** Slots hold numbers of entries, so two bytes do up to 65,536 slots. */
export function allocateSlots(slotCount: number): Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer> {
  return slotCount <= 0x1_0000 ? new Uint16Array(slotCount) : new Uint32Array(slotCount);
}

/** The bytes of the slots for `count` entries. */
export function slotBytesFor(count: number, least: number): number {
  const slotCount = slotCountFor(count, least);
  return slotCount <= 0x1_0000 ? slotCount * 2 : slotCount * 4;
}
