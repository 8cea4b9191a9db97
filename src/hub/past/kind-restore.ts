// SPDX-License-Identifier: Apache-2.0
// Rows of a kind at a past moment, made from its present rows: objects that were touched since the moment are folded from
// the log, all others are as they are now.
import { copyTable } from "../../index/fold/copy-table.ts";
import { findTexts } from "../../index/fold/known-texts.ts";
import type { IdTranslation } from "../../index/table/added-rows.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import type { BatchKeys } from "../../model/row-batch/decode-keys.ts";
import { parseBucketCode } from "../../model/rows/bucket.ts";
import type { LoadedSegment } from "../../store/fleet-log/fleet-log.ts";
import { rowsPerSegment } from "./fold-segments.ts";
import { TouchedKeys } from "./touched-keys.ts";

/** What restoring a kind costs. */
export interface RestoreCost {
  /** The kind's present rows. */
  readonly rowCount: number;
  /**
   * The changes since the moment: their rows and deletes, and the rows that a replaced bucket has on average. A segment
   * counts as `rowsPerSegment` more.
   */
  readonly changeCount: number;
}

/** Whether a kind is restored: its changes since the moment are no more than its rows. Otherwise all rows are folded. */
export function isWorthRestoring({ rowCount, changeCount }: RestoreCost): boolean {
  return changeCount <= rowCount;
}

/** Both tables have the same dictionaries. */
const sameIds: IdTranslation = (_kind, stored) => stored;

/** The restoring of one kind, from the keys that were touched to the rows. */
export class KindRestore {
  readonly touched = new TouchedKeys();
  /** The present rows, as of the position up to which the touched keys are read. They do not change. */
  readonly #present: KindTable;
  readonly #isWorth: (cost: RestoreCost) => boolean;
  #changeCount = 0;
  #isGivenUp: boolean;
  #kind = "";

  constructor(present: KindTable, isWorth: (cost: RestoreCost) => boolean) {
    this.#present = present;
    this.#isWorth = isWorth;
    this.#isGivenUp = !isWorth({ rowCount: present.count, changeCount: rowsPerSegment });
  }

  /** All rows must be folded from the log. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** Adds a segment from after the moment. */
  addTouched(form: LoadedSegment["form"], keys: BatchKeys): void {
    this.touched.add(form, keys);
    const rowCount = this.#present.count;
    const { bucketCount = 1 } = (form.kind === "replace" && parseBucketCode(form.bucket)) || {};
    const replacedCount = form.kind === "replace" ? rowCount / bucketCount : 0;
    this.#changeCount += rowsPerSegment + keys.rows.length + keys.deletes.length + replacedCount;
    this.#isGivenUp ||= !this.#isWorth({ rowCount, changeCount: this.#changeCount });
  }

  /** Notes a segment from before the moment, also one without a touched key. */
  noteKeys({ rows, kind }: BatchKeys): void {
    if (rows.length > 0) this.#kind = kind;
  }

  /**
   * The rows at the moment, given those of them that were touched. They use the dictionaries of the present rows if these
   * have all texts, because copying them costs more than all else, and those of the touched rows otherwise: reading the
   * past adds nothing to the present. In steps of some 2 ms.
   */
  *rowsInSteps(touched: KindTable): Generator<void, KindTable, undefined> {
    const known = findTexts(touched, this.#present.cluster);
    const table =
      known === undefined ? yield* copyTable(this.#present, touched.cluster) : yield* this.#present.forkInSteps(0);
    yield* table.removeInSteps(this.touched);
    yield* table.appendInSteps(touched, known ?? sameIds);
    table.rename(this.#kind);
    return table;
  }
}
