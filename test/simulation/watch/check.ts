// SPDX-License-Identifier: Apache-2.0
// The judge of the small case. Its truth is the list of calls that made the stored state, which knows nothing of
// watches, compaction or the network.
import type { StoreEngine } from "../../../src/store/store-engine.ts";
import { splitKey } from "../../../src/store/table.ts";
import type { SimDisk } from "../../support/sim/disk.ts";
import { fromBody, type WireRow } from "./messages.ts";
import type { Observation, Picture } from "./watcher.ts";
import type { Acknowledged } from "./writer.ts";

/** A change that is durable. */
interface TrueChange extends WireRow {
  readonly previousRevision: number;
}

/** What one client lived through. */
export interface ClientRecord {
  readonly name: string;
  readonly picture: Picture | undefined;
  readonly observations: readonly Observation[];
  readonly acknowledged: readonly Acknowledged[];
}

/**
 * Everything that is not as promised, one sentence each; none = all is well. `stored` is what a list gives at the end.
 */
export function findViolations(
  disk: SimDisk<StoreEngine>,
  stored: Picture,
  clients: readonly ClientRecord[],
): readonly string[] {
  const history = historyOf(disk);
  const found: string[] = [];
  for (const [index, { revision }] of history.entries()) {
    if (Number(revision) !== index + 1) found.push(`revision ${revision} stands where ${index + 1} belongs`);
  }
  const truth = stateAt(history, history.length);
  if (showRows(stored.rows.values()) !== showRows(truth.values()))
    found.push("the store lists something else than was written");
  for (const client of clients) {
    if (showRows(client.picture?.rows.values() ?? []) !== showRows(truth.values()))
      found.push(`the picture of ${client.name} differs from the store`);
    found.push(...client.observations.flatMap((seen, index) => judge(history, client, seen, index)));
    found.push(...client.acknowledged.flatMap((write) => findWrite(history, client.name, write)));
  }
  return found;
}

function historyOf(disk: SimDisk<StoreEngine>): readonly TrueChange[] {
  return disk.calls.flatMap((call) => {
    if (call.method !== "commit") return [];
    return call.args[0].flatMap(({ writes }, unitIndex) => {
      const outcome = call.result[unitIndex];
      return writes.flatMap(({ key, body }, writeIndex) => {
        const result = outcome?.kind === "committed" ? outcome.results[writeIndex] : undefined;
        if (result?.changed !== true) return [];
        const { revision, previousRevision } = result;
        const name = splitKey(key).at(-1) ?? "";
        return [{ name, revision: String(revision), value: body === null ? null : fromBody(body), previousRevision }];
      });
    });
  });
}

function stateAt(history: readonly TrueChange[], revision: number): ReadonlyMap<string, WireRow> {
  const rows = new Map<string, WireRow>();
  for (const change of history.slice(0, revision)) {
    if (change.value === null) rows.delete(change.name);
    else rows.set(change.name, change);
  }
  return rows;
}

/**
 * A list must show the state at its revision; a batch exactly the changes between two positions, so none twice and none
 * missed.
 */
function judge(history: readonly TrueChange[], client: ClientRecord, seen: Observation, index: number): string[] {
  const revision = Number(seen.revision);
  if (seen.kind === "list") {
    const isTrue = showRows(seen.rows) === showRows(stateAt(history, revision).values());
    return isTrue ? [] : [`${client.name} got a list at ${revision} that the store never was`];
  }
  const before = client.observations[index - 1]?.revision;
  if (before === undefined || seen.after !== before || seen.revision < seen.after)
    return [`${client.name} went from ${before} to ${seen.revision}, which is not forward`];
  const due = history.slice(Number(seen.after), revision);
  if (showChanges(due) === showChanges(seen.changes)) return [];
  return [
    `${client.name} got ${showChanges(seen.changes)} between ${seen.after} and ${revision}, where ${showChanges(due)} happened`,
  ];
}

/** An acknowledged write is in the history, at its revision, and replaced what it expected. */
function findWrite(history: readonly TrueChange[], client: string, write: Acknowledged): string[] {
  const { name, value, expect, revision } = write;
  if (revision === 0n) return []; // A delete of what was not there.
  const change = history[Number(revision) - 1];
  if (change?.name !== name || change.value !== value)
    return [`the write of ${value} to ${name} by ${client}, acknowledged at ${revision}, is lost`];
  const expected = expect === "any" ? String(change.previousRevision) : expect === "absent" ? "0" : expect;
  if (String(change.previousRevision) === expected) return [];
  return [`the write of ${value} by ${client} expected ${expect} and replaced ${change.previousRevision}`];
}

function showRows(rows: Iterable<WireRow>): string {
  return showChanges([...rows].sort((a, b) => (a.name < b.name ? -1 : 1)));
}

function showChanges(rows: readonly WireRow[]): string {
  return `[${rows.map(({ name, revision, value }) => `${revision} ${name}=${value}`).join(", ")}]`;
}
