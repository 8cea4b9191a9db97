// SPDX-License-Identifier: Apache-2.0
import { createReadStream, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { SqlDialect } from "../sql-queries.ts";
import { nullText, sqlColumns } from "../sql-rows.ts";
import { grantsOf, type OpenPeer, type PeerFiles } from "./peer.ts";

/** One FTS5 index finds parts of three or more letters in any case. */
const dialect: SqlDialect = {
  containsSql: (column) => `rowid in (select rowid from row_texts where ${column} like ?)`,
  hasGroupingSets: false,
};

const indexes = [
  "create unique index rows_key on rows (cluster, resource, namespace, name)",
  "create index rows_status on rows (status, resource)",
  "create index rows_resource on rows (resource)",
  "create index rows_namespace on rows (namespace, resource)",
  "create index rows_name on rows (name)",
  "create index rows_app on rows (label_app) where label_app is not null",
  "create index rows_team on rows (label_team) where label_team is not null",
  "create index rows_created on rows (created)",
  "create index rows_restarts on rows (restarts) where restarts is not null",
  `create virtual table row_texts using fts5(
    name, reason, message, content = 'rows', content_rowid = 'rowid', tokenize = 'trigram', columnsize = 0)`,
  "insert into row_texts (row_texts) values ('rebuild')",
  "analyze",
];

/** SQLite in this process. It cannot end a statement: the time limit does not apply. */
export const openSqlite: OpenPeer = async ({ folder, lineFiles, shape }) => {
  const file = join(folder, "rows.sqlite");
  const database = new DatabaseSync(file);
  for (const pragma of ["journal_mode = off", "synchronous = off", "cache_size = -1000000", "mmap_size = 8000000000"])
    database.exec(`pragma ${pragma}`);
  await fill(database, lineFiles);
  addGrants(database, shape);
  for (const sql of indexes) database.exec(sql);
  return {
    name: `SQLite ${process.versions["sqlite"]}`,
    dialect,
    run: async ({ sql, values }) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(...values) as unknown as readonly (readonly unknown[])[];
    },
    sizeBytes: () => statSync(file).size,
    [Symbol.asyncDispose]: async () => database.close(),
  };
};

async function fill(database: DatabaseSync, lineFiles: readonly string[]): Promise<void> {
  database.exec(`create table rows (${sqlColumns.map(({ name, type }) => `${name} ${type}`).join(", ")})`);
  const insert = database.prepare(`insert into rows values (${sqlColumns.map(() => "?").join(", ")})`);
  const isText = sqlColumns.map(({ type }) => type === "text");
  database.exec("begin");
  for (const file of lineFiles)
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }))
      insert.run(
        ...line.split("\t").map((text, at): SQLInputValue => {
          if (text === nullText) return null;
          return isText[at] === true ? text : Number(text);
        }),
      );
  database.exec("commit");
}

function addGrants(database: DatabaseSync, shape: PeerFiles["shape"]): void {
  database.exec(`create table visible_clusters (cluster text primary key) without rowid;
    create table visible_namespaces (cluster text, namespace text, primary key (cluster, namespace)) without rowid`);
  const { clusters, namespaces } = grantsOf(shape);
  const [addCluster, addNamespace] = [
    database.prepare("insert into visible_clusters values (?)"),
    database.prepare("insert into visible_namespaces values (?, ?)"),
  ];
  database.exec("begin");
  for (const cluster of clusters) addCluster.run(cluster);
  for (const pair of namespaces) addNamespace.run(...pair);
  database.exec("commit");
}
