// SPDX-License-Identifier: Apache-2.0
import type { RowTable } from "../../session/agent/row-table.ts";

/**
 * Most bytes of resource ids in one message. A Hello has at most 64 KiB (RP51), partly taken by labels and namespaces.
 */
const maxNamesBytes = 32 * 1024;

/** Bytes of a name besides its characters: field and length. */
const nameFrameBytes = 4;

/** The kinds that one session has named. Each kind is named before any message about it (SE56). */
export class KindAnnouncements {
  readonly #rows: RowTable;
  /** A table only appends kinds, so a count identifies the named ones. */
  #namedCount = 0;

  constructor(rows: RowTable) {
    this.#rows = rows;
  }

  /** The next kinds to name, as many as fit into one message; empty when all are named. */
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
