// SPDX-License-Identifier: Apache-2.0
import type { Draft, DraftObject } from "../json/json.ts";
import { maxComplaintCount } from "../json/json-reader.ts";
import type { JsonSourceDetails } from "../json/json-source-details.ts";
import { quoteGo } from "../json/quote-go.ts";
import type { FieldSchema, ObjectSchema, SchemaTable, TypeRef } from "../schema/schema.ts";
import { embeddedStruct } from "./go-names.ts";
import { goTypeIn } from "./go-type.ts";

/** An error that ends decoding at once. Of values of a wrong type, Go reports the first after reading everything. */
export class FatalDecodeError extends Error {
  override readonly name = "FatalDecodeError";
}

/** The location of a value: its object or list, and the key or index. */
export interface Place {
  readonly holder: DraftObject | Draft[];
  readonly key: string | number;
}

/** The state of one decoding: its location and the errors so far. */
export class Decoding {
  readonly table: SchemaTable;
  readonly details: JsonSourceDetails;
  readonly #complaints = new Set<string>();
  /** Path for complaints: names of fields, keys of maps, indexes. Formatted only if there is a complaint. */
  readonly #path: (string | number)[] = [];
  /** Path for errors: fields only, each with the object that has it. */
  readonly #fields: FieldSchema[] = [];
  readonly #schemas: ObjectSchema[] = [];
  #error: string | undefined;
  #mutedCount = 0;

  constructor(table: SchemaTable, details: JsonSourceDetails) {
    this.table = table;
    this.details = details;
  }

  /** In document order, without repetitions. */
  get complaints(): readonly string[] {
    return [...this.#complaints];
  }

  /** Go's message for the first value of a wrong type. */
  get error(): string | undefined {
    return this.#error;
  }

  complainOfUnknown(key: string): void {
    this.#complain("unknown", key);
  }

  complainOfDuplicate(key: string): void {
    this.#complain("duplicate", key);
  }

  #complain(what: "unknown" | "duplicate", key: string): void {
    if (this.#mutedCount > 0 || this.#complaints.size >= maxComplaintCount) return;
    this.#complaints.add(`${what} field ${quoteGo(pathText([...this.#path, key]))}`);
  }

  /** Records a value of a wrong type. `value` describes it: `number`, `string`, `number 1.5`. */
  noteMismatch(value: string, type: TypeRef): undefined {
    const schema = this.#schemas.at(-1);
    const field = this.#fields.at(-1);
    const goType = schema && field ? goTypeIn(schema, field, type) : "";
    this.noteError(this.mismatch(value, goType));
  }

  /** Go's message for a value of a wrong type in the current field. */
  mismatch(value: string, goType: string): string {
    const names = this.#fields.flatMap(({ name }, index) => {
      const embedded = embeddedStruct(this.#schemas[index]?.name ?? "", name);
      return embedded === undefined ? [name] : [embedded, name];
    });
    const path = `${this.#schemas.at(-1)?.goName ?? ""}.${names.join(".")}`;
    return `json: cannot unmarshal ${value} into Go struct field ${path} of type ${goType}`;
  }

  noteError(error: string): void {
    this.#error ??= error;
  }

  /** Decodes with the given field as the current one. */
  inField<T>(schema: ObjectSchema, field: FieldSchema, decode: () => T): T {
    this.#schemas.push(schema);
    this.#fields.push(field);
    const decoded = this.inPath(field.name, decode);
    this.#schemas.pop();
    this.#fields.pop();
    return decoded;
  }

  /** Decodes the value of a map's key or an item of a list. */
  inPath<T>(part: string | number, decode: () => T): T {
    this.#path.push(part);
    const decoded = decode();
    this.#path.pop();
    return decoded;
  }

  /**
   * Decodes without complaints: for values that were decoded before, or that Go decodes without checking for unknown
   * fields.
   */
  muted<T>(decode: () => T): T {
    this.#mutedCount += 1;
    const decoded = decode();
    this.#mutedCount -= 1;
    return decoded;
  }
}

/** `spec.containers[0].image`. */
function pathText(path: readonly (string | number)[]): string {
  return path.map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`)).join("");
}
