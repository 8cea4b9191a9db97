// SPDX-License-Identifier: Apache-2.0
// SQL for the rows of one table, generated from its spec. `objects` keeps its value in `bodies`, typed tables in their
// own columns.
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { compareUtf8 } from "../../model/text.ts";
import type { SealedBody } from "../keys/body-cipher.ts";
import {
  decodeValue,
  encodeValue,
  isBodyTable,
  prefixParts,
  type SqlColumnValue,
  splitKey,
  type TableSpec,
  type ValueOf,
} from "../table.ts";

/** A row as read. A value from `bodies` is still sealed. */
export interface StoredRow {
  readonly key: string;
  readonly revision: number;
  readonly sealed: SealedBody;
}

type SqlRow = Record<string, SQLOutputValue>;

/** Reads and writes the current rows of one table. */
export class RowStatements {
  readonly #table: TableSpec;
  readonly #db: DatabaseSync;
  readonly #columns: readonly string[];
  readonly #select: string;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #lists = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, table: TableSpec) {
    this.#table = table;
    this.#db = db;
    this.#columns = isBodyTable(table) ? [] : Object.keys(table.columns);
    const where = table.key.map((part) => `t.${part} = ?`).join(" AND ");
    const values = [...this.#columns, "revision"];
    const names = [...table.key, ...values];
    this.#select = selectFrom(table, names);
    // The caller knows the key, so it is not selected.
    this.#get = db.prepare(`${selectFrom(table, values)} WHERE ${where}`);
    const updates = values.map((name) => `${name} = excluded.${name}`).join(", ");
    this.#put = db.prepare(
      `INSERT INTO ${table.name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")}) ON CONFLICT DO UPDATE SET ${updates}`,
    );
    this.#delete = db.prepare(`DELETE FROM ${table.name} AS t WHERE ${where}`);
  }

  get(key: string): StoredRow | undefined {
    const found = this.#get.get(...splitKey(key));
    return found === undefined ? undefined : this.#toRow(key, found);
  }

  put(key: string, revision: number, body: Uint8Array): void {
    const value: Readonly<Record<string, SqlColumnValue>> =
      this.#columns.length === 0 ? {} : decodeValue(this.#table, body);
    this.#put.run(...splitKey(key), ...this.#columns.map((name): SQLInputValue => value[name] ?? null), revision);
  }

  delete(key: string): void {
    this.#delete.run(...splitKey(key));
  }

  /** The rows in key order that have not changed since `asOf`. */
  *list(prefix: string, after: string | undefined, asOf: number): Generator<StoredRow> {
    const fixed = prefixParts(prefix);
    // A page starts after `after` within the key parts that the prefix leaves open.
    const rest = after === undefined ? [] : splitKey(after).slice(fixed.length);
    if (after !== undefined && rest.length === 0) return;
    const statement = this.#listStatement(fixed.length, rest.length);
    for (const found of statement.iterate(...fixed, ...rest, asOf)) yield this.#toRow(this.#keyOf(found), found);
  }

  #listStatement(fixedCount: number, restCount: number): StatementSync {
    const id = `${fixedCount}/${restCount}`;
    let statement = this.#lists.get(id);
    if (statement === undefined) {
      const { key } = this.#table;
      const conditions = key.slice(0, fixedCount).map((part) => `t.${part} = ?`);
      if (restCount > 0) {
        const open = key.slice(fixedCount).map((part) => `t.${part}`);
        conditions.push(`(${open.join(", ")}) > (${open.map(() => "?").join(", ")})`);
      }
      conditions.push("t.revision <= ?");
      const order = key.map((part) => `t.${part}`).join(", ");
      statement = this.#db.prepare(`${this.#select} WHERE ${conditions.join(" AND ")} ORDER BY ${order}`);
      this.#lists.set(id, statement);
    }
    return statement;
  }

  #keyOf(found: SqlRow): string {
    return this.#table.key.map((part) => String(found[part])).join("\u001f");
  }

  #toRow(key: string, found: SqlRow): StoredRow {
    const revision = Number(found["revision"]);
    if (this.#columns.length === 0) return { key, revision, sealed: toSealed(found) };
    // STRICT tables guarantee the column types.
    const value = Object.fromEntries(this.#columns.map((name) => [name, found[name] ?? null])) as ValueOf<TableSpec>;
    return { key, revision, sealed: { keyId: null, body: encodeValue(this.#table, value) } };
  }
}

function selectFrom(table: TableSpec, names: readonly string[]): string {
  const columns = names.map((name) => `t.${name}`).join(", ");
  return isBodyTable(table)
    ? `SELECT ${columns}, b.key_id, b.body FROM ${table.name} t JOIN bodies b ON b.revision = t.revision`
    : `SELECT ${columns} FROM ${table.name} t`;
}

export function toSealed(found: SqlRow): SealedBody {
  const keyId = found["key_id"];
  return { keyId: typeof keyId === "string" ? keyId : null, body: found["body"] as Uint8Array };
}

/**
 * Merges the rows that have not changed since R with the old versions of those that have. Both inputs are in key order,
 * and no key is in both: a row is either still at a revision up to R or was replaced after it.
 */
export function* listAsOf(current: Iterable<StoredRow>, undone: Iterable<StoredRow>): Generator<StoredRow> {
  const waiting = undone[Symbol.iterator]();
  try {
    let other = waiting.next();
    for (const row of current) {
      for (; other.done !== true && compareUtf8(other.value.key, row.key) < 0; other = waiting.next())
        yield other.value;
      yield row;
    }
    for (; other.done !== true; other = waiting.next()) yield other.value;
  } finally {
    // A page that ends early must close its statement: an open read pins the write-ahead log.
    waiting.return?.();
  }
}
