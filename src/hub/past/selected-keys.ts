// SPDX-License-Identifier: Apache-2.0
import type { RowSelection } from "../../index/query/row-selection.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import type { TextDictionary } from "../../index/table/text-dictionary.ts";

/** The selected rows of a table, in the order of namespace and name. */
export function selectedInOrder(table: KindTable, { rows, count, isAll }: RowSelection): Uint32Array {
  const order = table.order();
  if (isAll) return order;
  const isSelected = new Uint8Array(table.count);
  for (let at = 0; at < count; at += 1) isSelected[rows[at] ?? 0] = 1;
  return order.filter((row) => isSelected[row] === 1);
}

/** Compares rows of two tables of one kind by namespace and name, bytewise. */
export function createPairComparer(a: KindTable, b: KindTable): (rowOfA: number, rowOfB: number) => number {
  const [one, other] = [a.cluster, b.cluster];
  const [aSpaces, bSpaces, aNames, bNames] = [a.namespaces.values, b.namespaces.values, a.names.values, b.names.values];
  if (one === other) {
    const { texts } = one;
    return (rowOfA, rowOfB) => {
      const [left, right] = [aSpaces[rowOfA] ?? 0, bSpaces[rowOfB] ?? 0];
      if (left === right) return texts.compare(aNames[rowOfA] ?? 0, bNames[rowOfB] ?? 0);
      return texts.compare(one.namespaceText(left), one.namespaceText(right));
    };
  }
  return (rowOfA, rowOfB) =>
    compareTexts(
      one.texts,
      one.namespaceText(aSpaces[rowOfA] ?? 0),
      other.texts,
      other.namespaceText(bSpaces[rowOfB] ?? 0),
    ) || compareTexts(one.texts, aNames[rowOfA] ?? 0, other.texts, bNames[rowOfB] ?? 0);
}

/** Compares texts of two dictionaries bytewise. */
function compareTexts(a: TextDictionary, idOfA: number, b: TextDictionary, idOfB: number): number {
  const [left, right] = [a.bytesOf(idOfA), b.bytesOf(idOfB)];
  const most = Math.min(left.length, right.length);
  for (let at = 0; at < most; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
