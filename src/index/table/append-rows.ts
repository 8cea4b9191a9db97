// SPDX-License-Identifier: Apache-2.0
import { AddedRows, type IdTranslation } from "./added-rows.ts";
import { stepRowCount } from "./apply-part.ts";
import type { TableState } from "./table-state.ts";

/**
 * Adds the rows of another table, whose keys this one has not, in steps of `stepRowCount` rows. Inconsistent between
 * steps.
 */
export function* appendRows(
  state: TableState,
  of: TableState,
  translate: IdTranslation,
): Generator<void, void, undefined> {
  const order = of.order.rows();
  state.noteChange();
  state.reserve(state.count + order.length);
  for (let from = 0; from < order.length; from += stepRowCount) {
    appendStep(state, of, order.subarray(from, from + stepRowCount), translate);
    yield;
  }
  state.noteChange();
}

function appendStep(state: TableState, of: TableState, sources: Uint32Array, translate: IdTranslation): void {
  const added = new AddedRows(sources, state.count, translate);
  // An array is used before the next call.
  const namespaces = added.ids("namespaces", of.namespaces).slice();
  const names = added.ids("texts", of.names);
  for (const [at, source] of sources.entries())
    state.append(of.index.hashes.values[source] ?? 0, namespaces[at] ?? 0, names[at] ?? 0);
  // Rows come in key order.
  state.order.append(state.count, state, state.cluster);
  state.cells.append(added, of.cells, state.capacity);
  for (const [at, source] of sources.entries()) {
    const row = added.firstNew + at;
    state.add(row, of.cells.statuses.values[source] ?? 0);
    state.troubles.copy(row, of.troubles, source);
  }
}
