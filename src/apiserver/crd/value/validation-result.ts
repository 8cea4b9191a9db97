// SPDX-License-Identifier: Apache-2.0
// The result of validating a value. It is kept until the alternative that it belongs to is selected.
import type { FieldError } from "../../status/field-error.ts";

/** Creates the field error once the field is known. */
export type SayMistake = (field: string) => FieldError;

/** One error. Errors with the same message are merged. */
export interface Mistake {
  readonly sentence: string;
  /** The location below the validated value, such as `spec.size`; undefined for errors of the whole value. */
  readonly place: string | undefined;
  readonly say: SayMistake;
}

/** Up to this count a linear search finds duplicates. Most results have no error. */
const fewMistakeCount = 8;

/**
 * The errors of one value by one schema, and its match count. Of several failed alternatives, the one with the highest
 * count is reported.
 */
export class ValidationResult {
  readonly mistakes: Mistake[] = [];
  matchCount = 0;
  #sentences: Set<string> | undefined;

  get isValid(): boolean {
    return this.mistakes.length === 0;
  }

  add(mistake: Mistake): void {
    if (this.#has(mistake.sentence)) return;
    this.mistakes.push(mistake);
    this.#sentences?.add(mistake.sentence);
  }

  merge(other: ValidationResult): void {
    for (const mistake of other.mistakes) this.add(mistake);
    this.matchCount += other.matchCount;
  }

  #has(sentence: string): boolean {
    if (this.mistakes.length < fewMistakeCount) return this.mistakes.some((known) => known.sentence === sentence);
    this.#sentences ??= new Set(this.mistakes.map((known) => known.sentence));
    return this.#sentences.has(sentence);
  }
}

/**
 * Converts errors to fields below `field`; without one they belong to the whole object, which Go calls `<nil>`.
 * Property names are joined with dots, which kube-apiserver does for map keys too.
 */
export function toFieldErrors(result: ValidationResult, field: string | undefined): readonly FieldError[] {
  return result.mistakes.map(({ place, say }) => say(joinField(field, place ?? "")));
}

function joinField(field: string | undefined, place: string): string {
  const name = place.startsWith(".") ? place.slice(1) : place;
  if (name === "") return field ?? "<nil>";
  return field === undefined ? name : `${field}.${name}`;
}
