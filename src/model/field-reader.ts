// SPDX-License-Identifier: Apache-2.0

/** One mistake in foreign data. The sentence never contains a value, because the data may hold secrets (L18, KU9). */
export interface FieldMistake {
  /** `users[0].token`; empty for the data as a whole. */
  readonly field: string;
  /** Begins with a verb: `must be text`. */
  readonly sentence: string;
}

/** Bounds of an integer, both included. */
export interface IntegerBounds {
  readonly min: number;
  readonly max?: number;
}

/**
 * Reads the fields of JSON or YAML data of unknown shape and collects every mistake. A field that is missing, null or
 * empty is undefined, as in kubectl. Only own properties count. Check `problem` or `mistakes` before using the values.
 */
export class FieldReader {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #prefix: string;
  /** In the order of reading; shared with the readers of fields below. */
  readonly mistakes: FieldMistake[];

  constructor(value: unknown, within: { readonly prefix?: string; readonly mistakes?: FieldMistake[] } = {}) {
    this.#prefix = within.prefix ?? "";
    this.mistakes = within.mistakes ?? [];
    this.#fields = isMap(value) ? value : {};
    if (!isMap(value) && value !== null && value !== undefined)
      this.mistakes.push({ field: this.#prefix.replace(/\.$/, ""), sentence: "must be a map" });
  }

  /** A reader of JSON text. Text that is not JSON is one mistake; the parser's own message would quote it. */
  static ofJson(text: string): FieldReader {
    try {
      const value: unknown = JSON.parse(text);
      return new FieldReader(value ?? []);
    } catch (reason) {
      if (!(reason instanceof SyntaxError)) throw reason;
      return new FieldReader({}, { mistakes: [{ field: "", sentence: "is not JSON" }] });
    }
  }

  /** The first mistake in the data called `name`, as `NAME: FIELD SENTENCE`; undefined if there is none. */
  problem(name: string): string | undefined {
    const [first] = this.mistakes;
    if (first === undefined) return undefined;
    return first.field === "" ? `${name} ${first.sentence}` : `${name}: ${first.field} ${first.sentence}`;
  }

  raw(field: string): unknown {
    return Object.hasOwn(this.#fields, field) ? this.#fields[field] : undefined;
  }

  text(field: string): string | undefined {
    const value = this.raw(field);
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    this.mistake(field, "must be text; put it in quotes");
    return undefined;
  }

  /** The text of a field that must be there, of this form; "" together with a mistake. */
  requiredText(field: string, form?: RegExp): string {
    const mistakeCount = this.mistakes.length;
    const value = this.text(field);
    if (value === undefined && this.mistakes.length === mistakeCount) this.mistake(field, "is missing");
    if (value === undefined) return "";
    if (form === undefined || form.test(value)) return value;
    this.mistake(field, "has another form than expected");
    return "";
  }

  /** The integer of a field that must be there; `min` together with a mistake. */
  integer(field: string, { min, max = Number.MAX_SAFE_INTEGER }: IntegerBounds): number {
    const value = this.raw(field);
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    this.mistake(field, `must be a whole number from ${min} to ${max}`);
    return min;
  }

  flag(field: string): boolean {
    const value = this.raw(field);
    if (value === undefined || value === null) return false;
    if (typeof value !== "boolean") this.mistake(field, "must be true or false");
    return value === true;
  }

  list(field: string): readonly unknown[] {
    const value = this.raw(field);
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.mistake(field, "must be a list");
    return [];
  }

  texts(field: string): readonly string[] {
    const values = this.list(field);
    const texts = values.filter((value) => typeof value === "string");
    if (texts.length < values.length) this.mistake(field, "must be a list of texts; put numbers in quotes");
    return texts;
  }

  /** The fields below `field`; undefined if it is absent. */
  below(field: string): FieldReader | undefined {
    const value = this.raw(field);
    if (value === undefined || value === null) return undefined;
    return this.#readerOf(value, field);
  }

  /** The elements of a list of maps. */
  entries(field: string): readonly FieldReader[] {
    return this.list(field).map((value, at) => this.#readerOf(value ?? [], `${field}[${at}]`));
  }

  mistake(field: string, sentence: string): void {
    this.mistakes.push({ field: `${this.#prefix}${field}`, sentence });
  }

  #readerOf(value: unknown, field: string): FieldReader {
    return new FieldReader(value, { prefix: `${this.#prefix}${field}.`, mistakes: this.mistakes });
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
