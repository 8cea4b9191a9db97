// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";

/** Throws GONE for a compacted revision (ST17). Every engine calls this before it reads history. */
export function assertRetained(revision: number, compactedRevision: number): void {
  if (revision >= compactedRevision) return;
  throw new FlotillaError(
    "GONE",
    `revision ${revision} is compacted away (the oldest kept is ${compactedRevision}): list again, then watch from there`,
    {
      ids: { revision, compactedRevision },
    },
  );
}
