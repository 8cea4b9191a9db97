// SPDX-License-Identifier: Apache-2.0
import type { KindRows } from "./kind-rows.ts";

/** The slots that wait to be sent, each with the time of its oldest unsent change. */
export class WaitingKeys {
  readonly #byKind = new Map<KindRows, Map<number, number>>();

  /** Oldest kind first, and within it the oldest slot first. A kind without waiting slots is absent. */
  get byKind(): ReadonlyMap<KindRows, ReadonlyMap<number, number>> {
    return this.#byKind;
  }

  get count(): number {
    let count = 0;
    for (const slots of this.#byKind.values()) count += slots.size;
    return count;
  }

  /** Undefined if none waits. */
  get oldestSinceMs(): number | undefined {
    let oldest: number | undefined;
    for (const slots of this.#byKind.values())
      for (const sinceMs of slots.values()) if (oldest === undefined || sinceMs < oldest) oldest = sinceMs;
    return oldest;
  }

  /** A slot that waits already keeps its place and the earlier time. True if it did not wait before. */
  add(kind: KindRows, slot: number, sinceMs: number): boolean {
    const slots = this.#byKind.get(kind) ?? new Map<number, number>();
    const knownMs = slots.get(slot);
    slots.set(slot, knownMs !== undefined && knownMs < sinceMs ? knownMs : sinceMs);
    this.#byKind.set(kind, slots);
    return knownMs === undefined;
  }

  delete(kind: KindRows, slot: number): void {
    const slots = this.#byKind.get(kind);
    slots?.delete(slot);
    if (slots?.size === 0) this.#byKind.delete(kind);
  }

  clear(): void {
    this.#byKind.clear();
  }
}
