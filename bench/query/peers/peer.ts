// SPDX-License-Identifier: Apache-2.0
// A database beside the index: loaded with the same rows, asked the same queries.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FleetShape } from "../fleet-shape.ts";
import type { SqlDialect, SqlStatement } from "../sql-queries.ts";

export interface PeerFiles {
  /** For the files of the database. It is removed afterwards. */
  readonly folder: string;
  /** See `sql-rows.ts`. */
  readonly lineFiles: readonly string[];
  readonly shape: FleetShape;
}

/** A loaded database. */
export interface Peer extends AsyncDisposable {
  /** With its version. */
  readonly name: string;
  readonly dialect: SqlDialect;
  /** The rows of an answer as lists of values. Undefined if the statement was ended at its time limit. */
  run(statement: SqlStatement): Promise<readonly (readonly unknown[])[] | undefined>;
  /** The size of its files. */
  sizeBytes(): number;
}

/** Starts a database and loads all rows. Rejects with `PeerMissing` if it is not installed. */
export type OpenPeer = (files: PeerFiles) => Promise<Peer>;

/** A statement that runs longer is ended, where the database can end it. */
export const statementLimitMs = 10_000;

/** The folder with the packages of the databases. They are not packages of the project. */
export const peersFolder: string = import.meta.dirname;

/** The database is not installed. */
export class PeerMissing extends Error {
  override readonly name = "PeerMissing";
}

/** A module of the installed packages; its types are not known to the project. */
export async function importPeer(name: string): Promise<unknown> {
  const resolved = findModule(createRequire(join(peersFolder, "package.json")), name);
  return import(pathToFileURL(resolved).href);
}

function findModule(require: NodeJS.Require, name: string): string {
  try {
    return require.resolve(name);
  } catch (reason) {
    throw new PeerMissing(`the package ${name} cannot be found`, { cause: reason });
  }
}

/** What the user may see, for the two tables of grants. */
export function grantsOf({ clusters }: FleetShape): {
  readonly clusters: readonly string[];
  readonly namespaces: readonly (readonly [cluster: string, namespace: string])[];
} {
  return {
    clusters: clusters.filter(({ isWhole }) => isWhole).map(({ name }) => name),
    namespaces: clusters.flatMap(({ name, seenNamespaces }) => seenNamespaces.map((each) => [name, each] as const)),
  };
}

/** The text with `$1`, `$2` and so on for each `?`. */
export function numberParameters(sql: string): string {
  let count = 0;
  return sql.replaceAll("?", () => `$${(count += 1)}`);
}
