// SPDX-License-Identifier: Apache-2.0
// Bounds of a row's size (KI6). Longer values are truncated, and the row names what was cut. 36 KiB for columns, 16 KiB
// for labels and annotations, and at most 8 KiB for all other parts add up to less than a row (CO24).
import { toWellFormedMap, visitInKeyOrder } from "../model/rows/canonical-map.ts";
import type { ColumnValue } from "../model/rows/row.ts";
import { cutText, utf8ByteCount } from "../model/text.ts";
import type { Columns, KindColumn } from "./kind.ts";

/** Most bytes of all columns of a row together. Values that are never cut do not count. */
const allColumnsBytes = 36_864;

/** Most bytes of one list column, and of labels and annotations together: a quarter of a row each (CO24). */
const listBytes = 16_384;

/** Most bytes of one text: more than any name, image or host that Kubernetes allows. */
const textBytes = 1_024;

/** Overhead of one text: its length, at most three bytes for texts of this size (CO41). */
const lengthBytes = 3;

/** Overhead of one value beside its texts: its type and element count, or the eight bytes of a number. */
const valueBytes = 9;

/** The column that names what was cut. */
export const cutColumn = "cut";

/** Labels and annotations within their bound. `cut` names each map that lost pairs. */
export interface BoundedMaps {
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
  readonly cut: readonly string[];
}

/** Bytes that are still available. */
interface ByteBudget {
  leftBytes: number;
}

/** Cuts metadata texts that are longer than any API server writes, and records which parts were cut. */
export class TextBound {
  readonly #cut = new Set<string>();

  get cut(): ReadonlySet<string> {
    return this.#cut;
  }

  /** The text within its bound; "" for an absent text. */
  take(part: string, text: string | undefined): string {
    const whole = text ?? "";
    const kept = cutText(whole, textBytes);
    if (kept !== whole) this.#cut.add(part);
    return kept;
  }
}

/** Keeps the pairs that fit, labels first. The result does not depend on the order of the maps. */
export function boundMaps(labels: ReadonlyMap<string, string>, annotations: ReadonlyMap<string, string>): BoundedMaps {
  const room = { leftBytes: listBytes };
  const [keptLabels, keptAnnotations] = [takePairs(labels, room), takePairs(annotations, room)];
  const cut = [
    ...(keptLabels.size < labels.size ? ["labels"] : []),
    ...(keptAnnotations.size < annotations.size ? ["annotations"] : []),
  ];
  return { labels: keptLabels, annotations: keptAnnotations, cut };
}

function takePairs(map: ReadonlyMap<string, string>, room: ByteBudget): ReadonlyMap<string, string> {
  let totalBytes = 0;
  map.forEach((value, key) => {
    totalBytes += costOf(key) + costOf(value);
  });
  if (totalBytes <= room.leftBytes) {
    room.leftBytes -= totalBytes;
    return map;
  }
  const kept = new Map<string, string>();
  let isFull = false;
  visitInKeyOrder(toWellFormedMap(map), (value, key) => {
    const bytes = costOf(key) + costOf(value);
    isFull ||= bytes > room.leftBytes;
    if (isFull) return;
    room.leftBytes -= bytes;
    kept.set(key, value);
  });
  return kept;
}

/**
 * The columns within their bounds, with `cut` added if anything was cut here or before. Lists share what single values
 * leave.
 */
export function boundColumns(
  columns: Columns,
  specs: readonly KindColumn[],
  cutBefore: readonly string[],
): ReadonlyMap<string, ColumnValue> {
  const specOf = (name: string): KindColumn | undefined => specs.find((spec) => spec.name === name);
  const room = { leftBytes: allColumnsBytes };
  const kept = new Map<string, ColumnValue>();
  columns.forEach((value, name) => {
    room.leftBytes -= costOf(name);
    if (specOf(name)?.isWhole === true) kept.set(name, value);
    else if (!isList(value)) kept.set(name, takeSingle(value, room));
  });
  columns.forEach((value, name) => {
    if (!isList(value) || kept.has(name)) return;
    kept.set(name, takeElements(value, room, specOf(name)?.maxBytes ?? listBytes));
  });
  const cut = [...cutBefore];
  columns.forEach((value, name) => {
    if (kept.get(name) !== value) cut.push(name);
  });
  if (cut.length > 0) kept.set(cutColumn, cut);
  return kept;
}

function isList(value: ColumnValue): value is readonly string[] {
  return typeof value === "object";
}

function takeSingle(value: Exclude<ColumnValue, readonly string[]>, room: ByteBudget): ColumnValue {
  room.leftBytes -= valueBytes;
  if (typeof value !== "string") return value;
  const kept = cutText(value, textBytes);
  room.leftBytes -= costOf(kept);
  return kept;
}

/** The list itself if it fits. A list loses whole elements, because a truncated element is not valid JSON. */
function takeElements(list: readonly string[], room: ByteBudget, maxBytes: number): readonly string[] {
  const limitBytes = Math.min(maxBytes, room.leftBytes - valueBytes);
  let [usedBytes, count] = [0, 0];
  for (; count < list.length; count += 1) {
    const bytes = costOf(list[count] ?? "");
    if (usedBytes + bytes > limitBytes) break;
    usedBytes += bytes;
  }
  room.leftBytes -= usedBytes + valueBytes;
  return count === list.length ? list : list.slice(0, count);
}

function costOf(text: string): number {
  return utf8ByteCount(text) + lengthBytes;
}
