// SPDX-License-Identifier: Apache-2.0
import { statSync } from "node:fs";
import { join } from "node:path";
import type { SqlDialect } from "../sql-queries.ts";
import { nullText, sqlColumns } from "../sql-rows.ts";
import { grantsOf, importPeer, numberParameters, type OpenPeer, statementLimitMs } from "./peer.ts";

/** The part of `@duckdb/node-api` that is used. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(file: string, options: Readonly<Record<string, string>>): Promise<DuckInstance>;
  };
  version(): string;
}

interface DuckInstance {
  connect(): Promise<DuckConnection>;
  closeSync(): void;
}

interface DuckConnection {
  run(sql: string, values?: readonly unknown[]): Promise<unknown>;
  runAndReadAll(sql: string, values?: readonly unknown[]): Promise<{ getRows(): unknown[][] }>;
  interrupt(): void;
  closeSync(): void;
}

const dialect: SqlDialect = { containsSql: (column) => `${column} ilike ?`, hasGroupingSets: true };

/**
 * DuckDB in this process, with all cores. Rows are stored in key order, so that it can skip blocks; its own indexes
 * serve only single rows.
 */
export const openDuckDb: OpenPeer = async ({ folder, lineFiles, shape }) => {
  const { DuckDBInstance, version } = (await importPeer("@duckdb/node-api")) as DuckDb;
  const file = join(folder, "rows.duckdb");
  const instance = await DuckDBInstance.create(file, { memory_limit: "6GB", temp_directory: folder });
  const connection = await instance.connect();
  await connection.run(`create table rows (${sqlColumns.map(({ name, type }) => `${name} ${type}`).join(", ")})`);
  const files = lineFiles.map((each) => `'${each}'`).join(", ");
  const columns = sqlColumns.map(({ name, type }) => `'${name}': '${type}'`).join(", ");
  await connection.run(`insert into rows select * from read_csv([${files}], delim = '\t', quote = '', escape = '',
    header = false, nullstr = '${nullText}', auto_detect = false, columns = {${columns}})
    order by cluster, resource, namespace, name`);
  const grants = grantsOf(shape);
  await connection.run(`create table visible_clusters as select unnest([${quoted(grants.clusters)}]) as cluster`);
  const pairs = [grants.namespaces.map(([cluster]) => cluster), grants.namespaces.map(([, namespace]) => namespace)];
  await connection.run(`create table visible_namespaces as
    select unnest([${quoted(pairs[0] ?? [])}]) as cluster, unnest([${quoted(pairs[1] ?? [])}]) as namespace`);
  await connection.run("checkpoint");
  return {
    name: `DuckDB ${version()}`,
    dialect,
    run: async ({ sql, values }) => {
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        connection.interrupt();
      }, statementLimitMs);
      try {
        return (await connection.runAndReadAll(numberParameters(sql), values)).getRows();
      } catch (reason) {
        if (isOver) return undefined;
        throw reason;
      } finally {
        clearTimeout(timer);
      }
    },
    sizeBytes: () => statSync(file).size,
    [Symbol.asyncDispose]: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
};

function quoted(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join(", ");
}
