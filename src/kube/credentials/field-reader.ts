// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../kinds/fields.ts";

/** One mistake in a kubeconfig. The sentence never shows a value (KU9). */
export interface KubeconfigMistake {
  readonly file: string;
  /** `cluster "prod"`, `user "me"`; empty for the file as a whole. */
  readonly entry: string;
  /** `certificate-authority-data`; empty for the entry as a whole. */
  readonly field: string;
  /** Begins with a verb: `must be text`. */
  readonly sentence: string;
}

/** `kubeconfig /home/me/.kube/config, user "me": token must be text`. */
export function formatMistake({ file, entry, field, sentence }: KubeconfigMistake): string {
  const place = entry === "" ? `kubeconfig ${file}` : `kubeconfig ${file}, ${entry}`;
  return field === "" ? `${place} ${sentence}` : `${place}: ${field} ${sentence}`;
}

/**
 * Reads the fields of one entry and collects mistakes. A field that is missing, null or empty is undefined, as in
 * kubectl.
 */
export class FieldReader {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #place: { readonly file: string; readonly entry: string };
  readonly #prefix: string;
  readonly mistakes: KubeconfigMistake[];

  constructor(
    value: unknown,
    place: { readonly file: string; readonly entry: string },
    within: { readonly prefix?: string; readonly mistakes?: KubeconfigMistake[] } = {},
  ) {
    this.#place = place;
    this.#prefix = within.prefix ?? "";
    this.mistakes = within.mistakes ?? [];
    this.#fields = isObject(value) ? value : {};
    if (!isObject(value) && value !== null && value !== undefined)
      this.#mistakeAt(this.#prefix.replace(/\.$/, ""), "must be a map");
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

  /** PEM text, encoded as base64. */
  base64(field: string): string | undefined {
    const value = this.text(field);
    if (value === undefined) return undefined;
    const compact = value.replaceAll(/\s/g, "");
    if (/^[A-Za-z0-9+/]+={0,2}$/.test(compact) && compact.length % 4 === 0) {
      return Buffer.from(compact, "base64").toString("utf8");
    }
    this.mistake(field, "must be base64");
    return undefined;
  }

  /** The fields below `field`; undefined if it is absent. */
  below(field: string): FieldReader | undefined {
    const value = this.raw(field);
    if (value === undefined || value === null) return undefined;
    return new FieldReader(value, this.#place, { prefix: `${this.#prefix}${field}.`, mistakes: this.mistakes });
  }

  mistake(field: string, sentence: string): void {
    this.#mistakeAt(`${this.#prefix}${field}`, sentence);
  }

  #mistakeAt(field: string, sentence: string): void {
    this.mistakes.push({ ...this.#place, field, sentence });
  }
}
