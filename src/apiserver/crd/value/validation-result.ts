// SPDX-License-Identifier: Apache-2.0
// The result of validating a value. It is kept until the alternative that it belongs to is selected.
import type { FieldError } from "../../status/field-error.ts";

/** One error. Errors with the same message are merged. */
export interface SchemaError {
  readonly message: string;
  /** The location below the validated value, such as `spec.size`; undefined for errors of the whole value. */
  readonly at: string | undefined;
  /** Creates the field error once the field is known. */
  readonly toFieldError: (field: string) => FieldError;
}

/** Up to this count a linear search finds duplicates. Most results have no error. */
const linearSearchCount = 8;

/**
 * The errors of one value by one schema, and its match count. Of several failed alternatives, the one with the highest
 * count is reported.
 */
export class ValidationResult {
  readonly errors: SchemaError[] = [];
  matchCount = 0;
  #messages: Set<string> | undefined;

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  add(error: SchemaError): void {
    if (this.#has(error.message)) return;
    this.errors.push(error);
    this.#messages?.add(error.message);
  }

  merge(other: ValidationResult): void {
    for (const error of other.errors) this.add(error);
    this.matchCount += other.matchCount;
  }

  #has(message: string): boolean {
    if (this.errors.length < linearSearchCount) return this.errors.some((known) => known.message === message);
    this.#messages ??= new Set(this.errors.map((known) => known.message));
    return this.#messages.has(message);
  }
}

/**
 * Converts errors to fields below `field`; without one they belong to the whole object, which Go calls `<nil>`.
 * Property names are joined with dots, which kube-apiserver does for map keys too.
 */
export function toFieldErrors(result: ValidationResult, field: string | undefined): readonly FieldError[] {
  return result.errors.map(({ at, toFieldError }) => toFieldError(joinField(field, at ?? "")));
}

function joinField(field: string | undefined, at: string): string {
  const name = at.startsWith(".") ? at.slice(1) : at;
  if (name === "") return field ?? "<nil>";
  return field === undefined ? name : `${field}.${name}`;
}
