// SPDX-License-Identifier: Apache-2.0
// What validating a value found, kept until it is known whether the branch it came from counts.
import type { FieldError } from "../status/field-error.ts";

/** Says a mistake at the place that its schema error was found, once the field is known. */
export type SayMistake = (field: string) => FieldError;

/** One mistake. Two with the same sentence are one. */
export interface Mistake {
  readonly sentence: string;
  /** The place below the validated value, `spec.size`; undefined for sentences that stand for the whole value. */
  readonly place: string | undefined;
  readonly say: SayMistake;
}

/** Mistakes up to which a new one is compared with each other one; most results have none. */
const fewMistakeCount = 8;

/** The mistakes of one value against one schema, and how many checks it passed: of several alternatives the one with most is told. */
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
 * The mistakes as fields below `field`; with no field they are those of the whole object, which Go calls `<nil>`. Names of properties are joined with dots, as
 * the real server does for properties of maps too.
 */
export function toFieldErrors(result: ValidationResult, field: string | undefined): readonly FieldError[] {
  return result.mistakes.map(({ place, say }) => say(joinField(field, place ?? "")));
}

function joinField(field: string | undefined, place: string): string {
  const name = place.startsWith(".") ? place.slice(1) : place;
  if (name === "") return field ?? "<nil>";
  return field === undefined ? name : `${field}.${name}`;
}
