// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { ByteWriter } from "../../model/rows/byte-writer.ts";
import { RecordReader } from "../../model/rows/record-reader.ts";
import type { QueryPosition, SortScalar } from "./query-request.ts";

/** What a cursor is valid for: any other user, query or order is refused (QL10). Facets and limit may differ. */
export interface CursorBinding {
  /** Identifies the user, with whatever the hub's rules about it depend on. */
  readonly user: string;
  /** The canonical text of the query. */
  readonly query: string;
  /** The canonical text of the order. */
  readonly sort: string;
}

/** Where the next page begins. */
export interface QueryCursor {
  readonly position: QueryPosition;
  /** The past moment that the pages answer for; undefined: now. */
  readonly atMs: number | undefined;
}

/** A keyed hash of at least 16 bytes, such as HMAC-SHA256. */
export type MacFunction = (key: Uint8Array, message: Uint8Array) => Uint8Array;

export interface CursorCodec {
  encode(cursor: QueryCursor, binding: CursorBinding): string;
  /** Throws INVALID_ARGUMENT for anything that `encode` did not return for the same binding. */
  decode(text: string, binding: CursorBinding): QueryCursor;
}

/** Version of the bytes. 1: values and key of a row, optional moment, after a MAC of 16 bytes. */
const version = 1;

const macBytes = 16;

/** Longest cursor in characters: its values are those of one row, which has at most 64 KiB (CO24), in base64. */
const maxCursorLength = 131_072;

const alphabet = { alphabet: "base64url", omitPadding: true } as const;

const [noScalar, numberScalar, textScalar] = [0, 1, 2];

/**
 * Cursors as opaque texts. The MAC covers the binding and the position, so a forged cursor and one of another user,
 * query or order are refused alike, by one sentence that does not tell which of them it is.
 */
export function createCursorCodec(key: Uint8Array, mac: MacFunction): CursorCodec {
  const sign = (body: Uint8Array, { user, query, sort }: CursorBinding): Uint8Array => {
    const message = new ByteWriter();
    message.u8(version);
    for (const text of [user, query, sort]) message.text(text);
    message.bytes(body);
    return mac(key, message.view()).subarray(0, macBytes);
  };
  return {
    encode: (cursor, binding) => {
      const body = encodeBody(cursor);
      const bytes = new ByteWriter();
      bytes.u8(version);
      bytes.bytes(sign(body, binding));
      bytes.bytes(body);
      return bytes.take().toBase64(alphabet);
    },
    decode: (text, binding) => {
      const bytes = text.length <= maxCursorLength ? fromBase64(text) : undefined;
      if (bytes === undefined || bytes.length <= 1 + macBytes || bytes[0] !== version) return refuse();
      const body = bytes.subarray(1 + macBytes);
      if (!isEqual(bytes.subarray(1, 1 + macBytes), sign(body, binding))) return refuse();
      return decodeBody(body);
    },
  };
}

function refuse(): never {
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    "the cursor is not one of this query; ask for the first page without a cursor",
  );
}

/** Undefined for a text that is not base64. */
function fromBase64(text: string): Uint8Array | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined;
  try {
    return Uint8Array.fromBase64(text, { alphabet: "base64url" });
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}

/** Looks at every byte, so that the time does not show how many are right. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}

function encodeBody({ position: { values, key }, atMs }: QueryCursor): Uint8Array {
  const body = new ByteWriter();
  for (const text of [key.cluster, key.resource, key.namespace, key.name]) body.text(text);
  writeScalar(body, atMs);
  body.varint(values.length);
  for (const value of values) writeScalar(body, value);
  return body.take();
}

/** The MAC was right, so the bytes are those of `encodeBody`. */
function decodeBody(body: Uint8Array): QueryCursor {
  const reader = new RecordReader();
  reader.open(body);
  const [cluster, resource, namespace, name] = [reader.text(), reader.text(), reader.text(), reader.text()];
  const atMs = readScalar(reader);
  const values = Array.from({ length: reader.varint() }, () => readScalar(reader));
  return {
    position: { values, key: { cluster, resource, namespace, name } },
    atMs: typeof atMs === "number" ? atMs : undefined,
  };
}

function writeScalar(body: ByteWriter, value: SortScalar): void {
  if (value === undefined) body.u8(noScalar);
  else if (typeof value === "number") {
    body.u8(numberScalar);
    body.f64(value);
  } else {
    body.u8(textScalar);
    body.text(value);
  }
}

function readScalar(reader: RecordReader): SortScalar {
  const form = reader.u8();
  if (form === noScalar) return undefined;
  return form === numberScalar ? reader.f64() : reader.text();
}
