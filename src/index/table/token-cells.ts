// SPDX-License-Identifier: Apache-2.0
import { NumberColumn } from "./number-column.ts";
import { RareIdColumn } from "./rare-id-column.ts";
import type { TextDictionary } from "./text-dictionary.ts";
import type { WrittenRows } from "./written-rows.ts";

const decimalForm = /^(?:0|[1-9][0-9]{0,15})$/;

/** The number of a token that a batch holds as text; NaN if it is not one that can be restored exactly. */
function decimalOf(token: string): number {
  const number = decimalForm.test(token) ? Number(token) : Number.NaN;
  return Number.isSafeInteger(number) ? number : Number.NaN;
}

/** The resourceVersions of rows: decimal ones as numbers, others as texts. This gives them no order (CO22). */
export class TokenCells {
  readonly numbers: NumberColumn;
  /** Text ids plus one; 0 for a number. */
  readonly texts: RareIdColumn;

  constructor(numbers = new NumberColumn(0), texts = new RareIdColumn()) {
    this.numbers = numbers;
    this.texts = texts;
  }

  share(): TokenCells {
    return new TokenCells(this.numbers.share(), this.texts.share());
  }

  get(row: number, texts: TextDictionary): string {
    const text = this.texts.at(row);
    return text === 0 ? String(this.numbers.get(row)) : texts.get(text - 1);
  }

  write(written: WrittenRows, capacity: number): void {
    const { strings, fields } = written.mapping.parts;
    const { resourceVersions: tokens } = fields;
    const { rows, places, count, firstNew } = written;
    const ids = written.noIds();
    const numbers = tokens.form === "decimal" ? written.numbers(tokens.numbers) : written.noNumbers();
    if (tokens.form === "text")
      for (let at = 0; at < count; at += 1) {
        const id = tokens.ids[places[at] ?? 0] ?? 0;
        const number = decimalOf(strings.get(id));
        numbers[at] = number;
        if (Number.isNaN(number)) ids[at] = written.mapping.text(id) + 1;
      }
    this.numbers.write(rows, numbers, count, firstNew);
    this.texts.writeRare(written, ids, capacity);
  }
}
