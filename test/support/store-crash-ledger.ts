// SPDX-License-Identifier: Apache-2.0
import type { Change, Store } from "../../src/store/store.ts";
import { objects, tokens } from "../../src/store/tables.ts";
import { commitIdOf, type PlannedWrite, planCommit } from "./store-crash-plan.ts";
import { listAll, textOf } from "./store-rows.ts";

interface SeenChange {
  readonly place: string;
  /** The commit that wrote it; null for a delete. */
  readonly id: string | null;
}

const placeOf = (table: string, key: readonly string[]): string => JSON.stringify([table, ...key]);

/** Everything that watches were told across all kills, each change once, and everything that was acknowledged. */
export class CrashLedger {
  readonly #seen = new Map<number, SeenChange>();
  /** Puts of each commit since the last look at the line. */
  readonly #puts = new Map<string, number>();
  readonly #rows = new Map<string, string>();
  #head = 0;
  #checkedAcks = 0;

  get ackCount(): number {
    return this.#checkedAcks;
  }

  get changeCount(): number {
    return this.#seen.size;
  }

  /** Takes what one watch delivered. Throws if a change was delivered before, or holds what no commit wrote. */
  takeChanges(table: "objects" | "tokens", changes: readonly Change[]): void {
    for (const { revision, key, value } of changes) {
      const at = Number(revision);
      const place = placeOf(table, key);
      if (this.#seen.has(at)) throw new Error(`revision ${at} was delivered twice`);
      const text = textOfValue(value);
      const id = text === null ? null : commitIdOf(text);
      if (id !== null) this.#checkValue(at, place, id, text);
      this.#seen.set(at, { place, id });
    }
  }

  #checkValue(at: number, place: string, id: string, text: string | null): void {
    const planned = planCommit(id);
    const isPlanned = planned.writes.some((write) => !write.isDelete && placeOf(write.table.name, write.key) === place);
    if (!isPlanned || text !== planned.text) throw new Error(`revision ${at} holds what commit ${id} did not write`);
    this.#puts.set(id, (this.#puts.get(id) ?? 0) + 1);
  }

  /** Throws unless the watches together were told every revision up to `head`, and of whole commits only. */
  checkLine(head: number): void {
    for (let at = this.#head + 1; at <= head; at += 1)
      if (!this.#seen.has(at)) throw new Error(`revision ${at} was never delivered`);
    if (this.#seen.size !== head) throw new Error(`there are changes beyond revision ${head}`);
    this.#head = head;
    for (const [id, count] of this.#puts) {
      const putCount = planCommit(id).writes.filter(({ isDelete }) => !isDelete).length;
      if (count !== putCount) throw new Error(`of commit ${id} only ${count} of ${putCount} writes are there`);
    }
    this.#puts.clear();
  }

  /** Throws unless the commit of this acknowledgement is in the line as it was acknowledged. */
  checkAck(line: string): void {
    const [id = "", ...revisions] = line.split(" ");
    const { writes } = planCommit(id);
    if (revisions.length !== writes.length) throw new Error(`acknowledgement ${line} is not of commit ${id}`);
    for (const [index, write] of writes.entries()) this.#checkAckedWrite(id, write, Number(revisions[index]));
    this.#checkedAcks += 1;
  }

  #checkAckedWrite(id: string, { table, key, isDelete }: PlannedWrite, at: number): void {
    if (isDelete && at === 0) return;
    const seen = this.#seen.get(at);
    if (seen?.place !== placeOf(table.name, key) || seen.id !== (isDelete ? null : id))
      throw new Error(`commit ${id} was acknowledged at revision ${at}, but it is not there`);
  }

  /** Throws unless the current rows are what the changes add up to (U-37). */
  async checkRows(store: Store, from: number): Promise<void> {
    for (let at = from + 1; at <= Number(store.revision); at += 1) {
      const { place, id } = this.#seen.get(at) ?? { place: "", id: null };
      if (id === null) this.#rows.delete(place);
      else this.#rows.set(place, `${at} ${id}`);
    }
    const stored = new Map<string, string>();
    for (const table of [objects, tokens]) {
      for (const { key, revision, value } of await listAll(store, table)) {
        stored.set(placeOf(table.name, key), `${revision} ${commitIdOf(textOfValue(value) ?? "")}`);
      }
    }
    for (const [place, row] of this.#rows)
      if (stored.get(place) !== row) throw new Error(`row ${place} is ${stored.get(place)}, not ${row}`);
    if (stored.size !== this.#rows.size) throw new Error("there are rows that no change made");
  }
}

function textOfValue(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  if ("user_name" in value) return String(value.user_name);
  return "body" in value && value.body instanceof Uint8Array ? (textOf({ body: value.body }) ?? null) : null;
}
