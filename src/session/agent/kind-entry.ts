// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { Row, RowContent } from "../../model/rows/row.ts";
import type { RowSealer } from "../../model/rows/row-sealer.ts";
import type { KindRows, KindSpec } from "./kind-rows.ts";

/** The key of an object within its kind. */
export interface RowKey {
  readonly namespace: string;
  readonly name: string;
}

/** The rows of all kinds, as `KindEntry` uses them. */
export interface KindStorage {
  upsertOf(kind: KindEntry, content: RowContent): boolean;
  deleteOf(kind: KindEntry, key: RowKey, uid: string): boolean;
  rowOf(kind: KindEntry, key: RowKey): Row | undefined;
  /** A list begins: no row has been seen in it. */
  forgetSeen(kind: KindEntry): void;
  /** Removes the rows that the list did not contain. Returns their number. */
  removeUnseen(kind: KindEntry): number;
  /** The kind became complete. */
  complete(kind: KindEntry): void;
}

/** One kind of a row table: its list state, and calls that its storage carries out. */
export class KindEntry implements KindRows {
  spec: KindSpec;
  readonly sealer: RowSealer;
  readonly resource: string;
  readonly number: number;
  isComplete = false;
  rowCount = 0;
  readonly #storage: KindStorage;
  #isListing = false;

  constructor(storage: KindStorage, spec: KindSpec, sealer: RowSealer, number: number) {
    this.#storage = storage;
    this.spec = spec;
    this.sealer = sealer;
    this.resource = resourceIdText(spec.resource);
    this.number = number;
  }

  upsert(content: RowContent): boolean {
    return this.#storage.upsertOf(this, content);
  }

  delete(key: RowKey, uid: string): boolean {
    return this.#storage.deleteOf(this, key, uid);
  }

  get(key: RowKey): Row | undefined {
    return this.#storage.rowOf(this, key);
  }

  beginList(): void {
    this.#isListing = true;
    this.#storage.forgetSeen(this);
  }

  endList(keepsUnseen = false): number {
    assert(this.#isListing, "a list ends after it began");
    this.#isListing = false;
    const removedCount = keepsUnseen ? 0 : this.#storage.removeUnseen(this);
    if (!this.isComplete) {
      this.isComplete = true;
      this.#storage.complete(this);
    }
    return removedCount;
  }

  invalidateLists(): void {
    this.isComplete = false;
    this.#isListing = false;
  }
}
