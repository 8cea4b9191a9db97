// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { type KindReading, KindReadingSchema } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { RowContent } from "../../model/rows/row.ts";
import { quote } from "../../model/text.ts";

/** The result of reading one row. */
export interface RowOutcome {
  readonly isCut: boolean;
  /** The fault of the row, as the end of a sentence. */
  readonly fault: string | undefined;
}

/** Counts read, unreadable and cut rows of one kind, so that callers see what is missing (L10). */
export class KindTally {
  readonly #resource: string;
  #objectCount = 0;
  #unreadableCount = 0;
  #unreadableError = "";
  #cutCount = 0;

  constructor(resource: string) {
    this.#resource = resource;
  }

  count(row: RowContent, { isCut, fault }: RowOutcome): void {
    this.#objectCount += 1;
    if (isCut) this.#cutCount += 1;
    if (fault === undefined) return;
    this.#unreadableCount += 1;
    if (this.#unreadableError !== "") return;
    const key = row.namespace === "" ? row.name : `${row.namespace}/${row.name}`;
    this.#unreadableError = `the row of ${this.#resource} ${quote(key)} ${fault}`;
  }

  /** The counts so far. */
  toReading(): KindReading {
    return create(KindReadingSchema, {
      resource: this.#resource,
      objectCount: BigInt(this.#objectCount),
      unreadableCount: BigInt(this.#unreadableCount),
      unreadableError: this.#unreadableError,
      cutCount: BigInt(this.#cutCount),
    });
  }
}
