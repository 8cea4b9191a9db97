// SPDX-License-Identifier: Apache-2.0
import { type ResourceVersion, toResourceVersion } from "../rows/row.ts";
import type { ByteReader } from "./byte-reader.ts";
import { readIds, skipIds, writeIds } from "./ids.ts";
import { anyInteger, readInts, skipInts, writeInts } from "./ints.ts";
import { toIds, type WriteStep } from "./step.ts";
import type { StringInterner } from "./string-interner.ts";
import type { StringTable } from "./string-table.ts";

const decimalForm = /^(?:0|[1-9][0-9]{0,15})$/;

/** Opaque tokens. They are stored as numbers if all of them are decimal. This does not give them an order (CO22). */
export type TokenColumn =
  | { readonly form: "decimal"; readonly numbers: Float64Array }
  | { readonly form: "text"; readonly ids: Uint32Array };

/** The token at a place of the column. */
export function tokenAt(column: TokenColumn, at: number, strings: StringTable): ResourceVersion {
  return toResourceVersion(column.form === "decimal" ? String(column.numbers[at]) : strings.get(column.ids[at] ?? 0));
}

function isDecimal(token: string): boolean {
  return decimalForm.test(token) && Number.isSafeInteger(Number(token));
}

/** The step that writes the tokens. */
export function collectTokens(tokens: readonly string[], strings: StringInterner): WriteStep {
  if (tokens.every(isDecimal))
    return (writer) => {
      if (tokens.length > 0) writer.u8(0);
      writeInts(writer, tokens.map(Number));
    };
  const numbers = tokens.map((token) => strings.number(token));
  return (writer, idOf) => {
    writer.u8(1);
    writeIds(writer, toIds(numbers, idOf));
  };
}

/** Reads `count` tokens. */
export function readTokens(reader: ByteReader, count: number, stringCount: number): TokenColumn {
  const form = count === 0 ? 0 : reader.u8();
  if (form > 1) reader.malformed(`tokens of form ${form}`);
  return form === 0
    ? { form: "decimal", numbers: readInts(reader, count, { ...anyInteger, min: 0 }) }
    : { form: "text", ids: readIds(reader, count, stringCount) };
}

/** Skips `count` tokens without a look at them. */
export function skipTokens(reader: ByteReader, count: number): void {
  const form = count === 0 ? 0 : reader.u8();
  if (form > 1) reader.malformed(`tokens of form ${form}`);
  if (form === 0) skipInts(reader, count);
  else skipIds(reader, count);
}
