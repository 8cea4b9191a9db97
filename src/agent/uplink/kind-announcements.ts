// SPDX-License-Identifier: Apache-2.0
import type { RowTable } from "../../session/agent/row-table.ts";

/** Bytes of resource ids in one message. A Hello has at most 64 KiB (RP51), of which labels and namespaces take a part. */
const maxNamesBytes = 32 * 1024;

/** Bytes of a name besides its characters: field and length. */
const nameFrameBytes = 4;

/** Knows which kinds one session was told of: each is named before anything is said of it (SE56). */
export class KindAnnouncements {
  readonly #rows: RowTable;
  /** A table only adds kinds, at its end, so that a count says which were named. */
  #namedCount = 0;

  constructor(rows: RowTable) {
    this.#rows = rows;
  }

  /** The kinds to be named now: as many as one message takes of those that were not; empty when all were. */
  take(): readonly string[] {
    const names: string[] = [];
    let leftBytes = maxNamesBytes;
    for (const { resource } of this.#rows.kinds.slice(this.#namedCount)) {
      leftBytes -= resource.length + nameFrameBytes;
      if (leftBytes < 0) break;
      names.push(resource);
    }
    this.#namedCount += names.length;
    return names;
  }
}
