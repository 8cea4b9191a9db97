// SPDX-License-Identifier: Apache-2.0
import type { KindTable } from "../table/kind-table.ts";

interface KeptPart<Part> {
  readonly part: Part;
  readonly bytes: number;
  readonly version: number;
}

interface PartsOfMask<Part> {
  readonly byTable: WeakMap<KindTable, KeptPart<Part>>;
  bytes: number;
}

/**
 * What users see of tables, by the mask of visible namespaces: a small part that queries read instead of the whole. Masks
 * are shared by a team. When all parts take more than `maxBytes`, those of the mask whose parts were last found longest ago
 * go first.
 */
export class VisibleParts<Part> {
  readonly #maxBytes: number;
  /** In the order of the last part that was found. */
  readonly #byMask = new Map<Uint8Array, PartsOfMask<Part>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The part of a table, found again after its rows changed. */
  get(mask: Uint8Array, table: KindTable, find: () => { readonly part: Part; readonly bytes: number }): Part {
    const parts = this.#byMask.get(mask) ?? { byTable: new WeakMap(), bytes: 0 };
    const known = parts.byTable.get(table);
    if (known?.version === table.version) return known.part;
    const { part, bytes } = find();
    parts.byTable.set(table, { part, bytes, version: table.version });
    this.#byMask.delete(mask);
    this.#byMask.set(mask, parts);
    // A part of a table that is gone stays counted until its mask goes, so the sum is an upper bound.
    const added = bytes - (known?.bytes ?? 0);
    parts.bytes += added;
    this.#bytes += added;
    this.#dropOldest();
    return part;
  }

  #dropOldest(): void {
    for (const [mask, { bytes }] of this.#byMask) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#byMask.delete(mask);
      this.#bytes -= bytes;
    }
  }
}
