// SPDX-License-Identifier: Apache-2.0
// Short ways to write and compare rows in tests of the store.
import { type Revision, toRevision } from "../../src/model/revision.ts";
import type { CommitOutcome, Expectation, Key, Store, TableRow, Write } from "../../src/store/store.ts";
import { put, remove } from "../../src/store/store.ts";
import type { TableSpec, ValueOf } from "../../src/store/table.ts";
import { objects, tokens } from "../../src/store/tables.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function body(text: string): ValueOf<typeof objects> {
  return { body: encoder.encode(text) };
}

/** The text of an object's body; undefined for no value. */
export function textOf(value: ValueOf<typeof objects> | null | undefined): string | undefined {
  return value === null || value === undefined ? undefined : decoder.decode(value.body);
}

/** The key of a config map called `name`. */
export function objectKey(name: string, namespace = "default", workspace = "root"): Key {
  return [workspace, "configmaps", namespace, name];
}

export function putObject(name: string, text: string, expect: Expectation = "any"): Write {
  return put(objects, objectKey(name), body(text), expect);
}

export function removeObject(name: string, expect: Expectation = "any"): Write {
  return remove(objects, objectKey(name), expect);
}

export function tokenValue(userName: string): ValueOf<typeof tokens> {
  return {
    secret_hash: encoder.encode(`hash of ${userName}`),
    user_name: userName,
    group_names: "[]",
    description: "",
    created_at_ms: 1_700_000_000_000,
    expires_at_ms: null,
    parent_id: null,
  };
}

export function putToken(id: string, userName: string): Write {
  return put(tokens, ["root", id], tokenValue(userName));
}

export type Committed = Extract<CommitOutcome, { kind: "committed" }>;

/** Commits and insists that it was written. */
export async function commit(store: Store, ...writes: readonly Write[]): Promise<Committed> {
  const outcome = await store.commit(writes);
  if (outcome.kind !== "committed") throw new Error(`the commit was refused: ${outcome.kind}`);
  return outcome;
}

/** Writes objects called `prefix0`, `prefix1`, ... in one commit each. */
export async function writeMany(store: Store, count: number, prefix = "many-"): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  await Promise.all(names.map((name) => commit(store, putObject(name, `value of ${name}`))));
}

/** All rows of a list, page by page at one revision. */
export async function listAll<T extends TableSpec>(
  store: Store,
  table: T,
  options: { readonly prefix?: Key; readonly asOf?: Revision; readonly limit?: number } = {},
): Promise<readonly TableRow<T>[]> {
  const rows: TableRow<T>[] = [];
  let page = await store.list(table, options);
  rows.push(...page.rows);
  while (page.more) {
    const after = rows.at(-1)?.key ?? [];
    page = await store.list(table, { ...options, after, asOf: page.revision });
    rows.push(...page.rows);
  }
  return rows;
}

/** Names and texts of all objects, as `name=text` in key order. */
export async function listTexts(store: Store, options: Parameters<typeof listAll>[2] = {}): Promise<readonly string[]> {
  return (await listAll(store, objects, options)).map(({ key, value }) => `${key.at(-1)}=${textOf(value)}`);
}

export const revision = toRevision;
