// SPDX-License-Identifier: Apache-2.0
import { isUuid, uuidByte, uuidBytes, uuidText } from "../../model/uuid.ts";

/** Slots for which there is room at first. */
const firstCapacity = 1_024;

/**
 * The uid of each slot's row, beside the records: it is asked for with every change, and no packing makes it smaller. 16 bytes where it is a UUID,
 * as Kubernetes gives to all objects; what some other server gives is kept as it is.
 */
export class SlotUids {
  #bytes = new Uint8Array(firstCapacity * uuidBytes);
  readonly #others = new Map<number, string>();

  /** Bytes of the array; texts that are no UUIDs come on top. */
  get heldBytes(): number {
    return this.#bytes.length;
  }

  set(slot: number, uid: string): void {
    this.#others.delete(slot);
    if (!isUuid(uid)) {
      this.#others.set(slot, uid);
      return;
    }
    const from = slot * uuidBytes;
    if (this.#bytes.length < from + uuidBytes) this.#growTo(from + uuidBytes);
    for (let at = 0; at < uuidBytes; at += 1) this.#bytes[from + at] = uuidByte(uid, at);
  }

  /** What was set last. */
  get(slot: number): string {
    return this.#others.get(slot) ?? uuidText(this.#bytes, slot * uuidBytes);
  }

  /** The slot has no row any more. */
  drop(slot: number): void {
    this.#others.delete(slot);
  }

  #growTo(byteCount: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, byteCount));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
