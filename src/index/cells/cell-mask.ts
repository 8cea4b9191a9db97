// SPDX-License-Identifier: Apache-2.0
import { statuses } from "../../model/status.ts";

/** Every status, as bits. */
export const everyStatus = (1 << statuses.length) - 1;

/**
 * The rows of a table that pass: those whose status, as a bit, is in the mask. One mask for all rows, or one for each
 * namespace of the fleet, by its id in the dictionary of the fleet's namespaces.
 */
export type CellMask = number | Uint8Array;

/** Rows that pass both. */
export function intersectMasks(a: CellMask, b: CellMask): CellMask {
  if (typeof a === "number" && typeof b === "number") return a & b;
  if (typeof b === "number") return intersectMasks(b, a);
  if (a === everyStatus) return b;
  if (a === 0) return 0;
  const both = b.slice();
  for (let at = 0; at < both.length; at += 1) both[at] = (both[at] ?? 0) & (typeof a === "number" ? a : (a[at] ?? 0));
  return both;
}

/** Rows that do not pass. */
export function invertMask(mask: CellMask): CellMask {
  if (typeof mask === "number") return mask ^ everyStatus;
  const inverted = mask.slice();
  for (let at = 0; at < inverted.length; at += 1) inverted[at] = (inverted[at] ?? 0) ^ everyStatus;
  return inverted;
}

/** Rows that pass either. */
export function unionMasks(a: CellMask, b: CellMask): CellMask {
  return invertMask(intersectMasks(invertMask(a), invertMask(b)));
}
