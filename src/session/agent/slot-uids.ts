// SPDX-License-Identifier: Apache-2.0
import { isUuid, uuidByte, uuidBytes, uuidText } from "../../model/rows/uuid.ts";

/** Initial number of slots. */
const firstCapacity = 1_024;

/**
 * The uid of each slot's row. Kept outside the records: it is needed at every change, and does not compress. A UUID,
 * which Kubernetes gives to all objects, takes 16 bytes; a uid of another form is kept as text.
 */
export class SlotUids {
  #bytes = new Uint8Array(firstCapacity * uuidBytes);
  readonly #others = new Map<number, string>();

  /** Bytes of the array, without the uids that are no UUIDs. */
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

  /** The uid that was set last. */
  get(slot: number): string {
    return this.#others.get(slot) ?? uuidText(this.#bytes, slot * uuidBytes);
  }

  /** The slot no longer has a row. */
  drop(slot: number): void {
    this.#others.delete(slot);
  }

  #growTo(byteCount: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, byteCount));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
