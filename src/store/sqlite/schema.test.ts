// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { allTables } from "../tables.ts";
import { databases } from "./database.ts";
import { applyMigrations, loadMigrations } from "./migrate.ts";

interface SqlColumn {
  readonly name: string;
  readonly type: string;
  readonly mayBeNull: boolean;
  /** Place in the primary key from 1 on; 0 = not in it. */
  readonly keyPlace: number;
}

function readColumns(table: string): readonly SqlColumn[] {
  using db = new DatabaseSync(":memory:");
  applyMigrations(db, loadMigrations(databases.hub.migrations), 0);
  return db
    .prepare('SELECT name, type, "notnull" AS is_required, pk FROM pragma_table_info(?)')
    .all(table)
    .map((found) => ({
      name: String(found["name"]),
      type: String(found["type"]),
      mayBeNull: found["is_required"] === 0,
      keyPlace: Number(found["pk"]),
    }));
}

const sqlTypes = { text: "TEXT", integer: "INTEGER", bytes: "BLOB" } as const;

describe.each(allTables.map((table) => [table.name, table] as const))("table %s", (name, table) => {
  const columns = readColumns(name);

  test("[ST1] the key of the SQL table is the key of its spec, in that order, and begins with workspace_id", () => {
    const key = columns.filter(({ keyPlace }) => keyPlace > 0).toSorted((a, b) => a.keyPlace - b.keyPlace);
    expect(key.map((column) => column.name)).toEqual(table.key);
    expect(key.every(({ type, mayBeNull }) => type === "TEXT" && !mayBeNull)).toBe(true);
    expect(table.key[0]).toBe("workspace_id");
  });

  test("[ST1] every column of the value is there with its type, and no other", () => {
    const expected = Object.entries(table.columns)
      .filter(([column]) => column !== "body")
      .map(([column, type]) => ({
        name: column,
        type: sqlTypes[type.replace("?", "") as keyof typeof sqlTypes],
        mayBeNull: type.endsWith("?"),
        keyPlace: 0,
      }));
    const found = columns.filter(({ keyPlace, name: column }) => keyPlace === 0 && column !== "revision");
    expect(found).toEqual(expected);
    expect(columns.find(({ name: column }) => column === "revision")).toMatchObject({
      type: "INTEGER",
      mayBeNull: false,
    });
  });
});
