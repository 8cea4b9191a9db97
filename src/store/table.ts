// SPDX-License-Identifier: Apache-2.0
// The spec of a table, and the two encodings that engines share: a key as one text, a value as bytes.
import { FlotillaError } from "../base/error.ts";

/** The value type of each column type; `?` = nullable. Integers are safe JavaScript integers. */
export interface ColumnTypes {
  readonly text: string;
  readonly integer: number;
  readonly bytes: Uint8Array;
  readonly "text?": string | null;
  readonly "integer?": number | null;
}

export type SqlColumnType = keyof ColumnTypes;
export type SqlColumnValue = ColumnTypes[SqlColumnType];
export type SqlColumns = Readonly<Record<string, SqlColumnType>>;

/** One table: its key columns in order, and its value columns. `sql/` has the same columns; a test compares them. */
export interface TableSpec<C extends SqlColumns = SqlColumns> {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: C;
}

/** The value of a row of this table. */
export type ValueOf<T extends TableSpec> = { readonly [Name in keyof T["columns"]]: ColumnTypes[T["columns"][Name]] };

/**
 * The limit on the bytes of one key part. Kubernetes names have at most 253, paths of nested workspaces a little more.
 */
const maxKeyPartBytes = 512;

/**
 * The limit on the bytes of one encoded value. Kubernetes accepts objects of 1.5 MB (3 MB with its own overhead); etcd
 * refuses more.
 */
export const maxValueBytes = 4 * 1024 * 1024;

/** Sorts below every character of a key part, so that joined keys sort as their parts do (ST1). */
const separator = "\u001f";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The key as one text. Throws for parts that cannot be a key (ST2). */
export function joinKey(table: TableSpec, parts: readonly string[]): string {
  if (parts.length !== table.key.length) {
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `a key of ${table.name} has ${table.key.length} parts (${table.key.join(", ")}), not ${parts.length}`,
    );
  }
  return parts.map((part, index) => checkPart(table, part, index)).join(separator);
}

/**
 * The leading parts of a key, each followed by the separator: a prefix covers whole parts only, including the last one.
 * `isUnder` tests whether a prefix covers a key.
 */
export function joinPrefix(table: TableSpec, parts: readonly string[]): string {
  if (parts.length > table.key.length) return joinKey(table, parts);
  return parts.map((part, index) => checkPart(table, part, index) + separator).join("");
}

/**
 * Whether a prefix from `joinPrefix` covers a joined key. A prefix of all parts covers exactly the key with these
 * parts.
 */
export function isUnder(prefix: string, key: string): boolean {
  return key.startsWith(prefix) || (prefix.length === key.length + 1 && prefix.startsWith(key));
}

/**
 * The position from which an iteration in key order finds the first key under a prefix. No key outside the prefix sorts
 * between this position and that key.
 */
export function firstUnder(prefix: string): string {
  return prefix.slice(0, -1);
}

/** The first part of a joined key, or of a prefix that is not empty. */
export function firstPart(joined: string): string {
  const end = joined.indexOf(separator);
  return end < 0 ? joined : joined.slice(0, end);
}

/** All prefixes from `joinPrefix` that cover this joined key, shortest first. */
export function* coveringPrefixes(key: string): Generator<string> {
  yield "";
  for (let end = key.indexOf(separator); end >= 0; end = key.indexOf(separator, end + 1)) yield key.slice(0, end + 1);
  yield key + separator;
}

export function splitKey(joined: string): readonly string[] {
  return joined.split(separator);
}

/** The key parts in a prefix from `joinPrefix`. */
export function prefixParts(prefix: string): readonly string[] {
  return prefix === "" ? [] : splitKey(prefix.slice(0, -1));
}

function checkPart(table: TableSpec, part: string, index: number): string {
  // Control characters are reserved for the separator. A lone surrogate has no UTF-8 form and is lost in a round trip.
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f]/.test(part) || !part.isWellFormed()) {
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `${table.key[index]} of ${table.name} holds a character that a key cannot have`,
    );
  }
  if (
    part.length > maxKeyPartBytes ||
    (part.length * 3 > maxKeyPartBytes && encoder.encode(part).length > maxKeyPartBytes)
  ) {
    throw new FlotillaError(
      "TOO_LARGE",
      `${table.key[index]} of ${table.name} is longer than ${maxKeyPartBytes} bytes`,
    );
  }
  return part;
}

/**
 * Whether the value is one `body` column of bytes, stored unchanged. Other values are stored as JSON of their columns.
 */
export function isBodyTable(table: TableSpec): boolean {
  return table.columns["body"] === "bytes" && Object.keys(table.columns).length === 1;
}

/** The value's bytes. Equal values have equal bytes: columns are written in the order of the table. */
export function encodeValue<T extends TableSpec>(table: T, value: ValueOf<T>): Uint8Array {
  const columns = value as Readonly<Record<string, SqlColumnValue>>;
  const body = columns["body"];
  const bytes =
    isBodyTable(table) && body instanceof Uint8Array
      ? body
      : encoder.encode(
          JSON.stringify(
            Object.entries(table.columns).map(([name, type]) => toJsonColumn(table, name, type, columns[name])),
          ),
        );
  if (bytes.length > maxValueBytes) {
    throw new FlotillaError(
      "TOO_LARGE",
      `a value of ${table.name} has ${bytes.length} bytes; at most ${maxValueBytes} are kept`,
    );
  }
  return bytes;
}

/** Decodes a value from its bytes. */
export function decodeValue<T extends TableSpec>(table: T, bytes: Uint8Array): ValueOf<T> {
  if (isBodyTable(table)) return { body: bytes } as unknown as ValueOf<T>;
  const stored = JSON.parse(decoder.decode(bytes)) as readonly (string | number | null)[];
  const columns = Object.entries(table.columns).map(([name, type], index): [string, SqlColumnValue] => {
    const cell = stored[index] ?? null;
    return [name, type === "bytes" ? Uint8Array.fromBase64(String(cell)) : cell];
  });
  return Object.fromEntries(columns) as ValueOf<T>;
}

function toJsonColumn(
  table: TableSpec,
  name: string,
  type: SqlColumnType,
  value: SqlColumnValue | undefined,
): string | number | null {
  if (type === "bytes" && value instanceof Uint8Array) return value.toBase64();
  if ((type === "text" || type === "text?") && typeof value === "string" && value.isWellFormed()) return value;
  if ((type === "integer" || type === "integer?") && Number.isSafeInteger(value)) return Number(value);
  if (type.endsWith("?") && value === null) return null;
  throw new FlotillaError("INVALID_ARGUMENT", `column ${name} of ${table.name} is not a value of type ${type}`);
}
