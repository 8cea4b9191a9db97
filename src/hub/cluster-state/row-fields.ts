// SPDX-License-Identifier: Apache-2.0
// Reads a row's columns back into typed values: the inverse of what the kinds write (KI7).
import { isObject } from "../../kinds/fields.ts";

/** 32-bit ranges; protobuf refuses to encode a value outside them. */
const [minInt32, maxInt32, maxUint32] = [-(2 ** 31), 2 ** 31 - 1, 2 ** 32 - 1];

/** Records the first value of a row that could not be read. */
export class ReadFaults {
  #first: string | undefined;

  /**
   * Path of the value from its column down, such as `routes.matches.port`. Undefined when every value could be read.
   */
  get first(): string | undefined {
    return this.#first;
  }

  note(path: string): void {
    this.#first ??= path;
  }
}

/**
 * The named values of a row or of one element of a column. Never throws: an absent value reads as undefined or empty;
 * so does one of another type or out of range, which is also noted as a fault (L14).
 */
export class Fields {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #faults: ReadFaults;
  readonly #path: string;

  constructor(values: ReadonlyMap<string, unknown>, faults: ReadFaults, path = "") {
    this.#values = values;
    this.#faults = faults;
    this.#path = path;
  }

  /** "" when absent. */
  text(name: string): string {
    return this.#read(name, (value) => (typeof value === "string" ? value : undefined)) ?? "";
  }

  truth(name: string): boolean | undefined {
    return this.#read(name, (value) => (typeof value === "boolean" ? value : undefined));
  }

  int32(name: string): number | undefined {
    return this.#read(name, (value) => integerWithin(value, minInt32, maxInt32));
  }

  uint32(name: string): number | undefined {
    return this.#read(name, (value) => integerWithin(value, 0, maxUint32));
  }

  /** An integer, or a string in its place. */
  integerOrText(name: string): number | string | undefined {
    return this.#read(name, (value) => (typeof value === "string" ? value : integerWithin(value, minInt32, maxInt32)));
  }

  texts(name: string): string[] {
    return this.#elements(name, (element) => (typeof element === "string" ? element : undefined));
  }

  /** Label pairs, stored in a row as `key=value`. The key ends at the first `=`. */
  pairs(name: string): Record<string, string> {
    // Not by assignment, so that `__proto__` is an ordinary key.
    return Object.fromEntries(this.#elements(name, (element) => toPair(element)));
  }

  /** The structured values of a list: objects, or in a column their JSON. An unreadable one is left out. */
  parts(name: string): Fields[] {
    return this.#elements(name, (element) => {
      const part = typeof element === "string" ? parseJson(element) : element;
      return isObject(part) ? new Fields(new Map(Object.entries(part)), this.#faults, this.#pathOf(name)) : undefined;
    });
  }

  #read<T>(name: string, toValue: (value: unknown) => T | undefined): T | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    const read = toValue(value);
    if (read === undefined) this.#faults.note(this.#pathOf(name));
    return read;
  }

  #elements<T>(name: string, toElement: (element: unknown) => T | undefined): T[] {
    const list = this.#read(name, (value): readonly unknown[] | undefined =>
      Array.isArray(value) ? value : undefined,
    );
    return (list ?? []).flatMap((each) => {
      const element = toElement(each);
      if (element !== undefined) return [element];
      this.#faults.note(this.#pathOf(name));
      return [];
    });
  }

  #pathOf(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}

function integerWithin(value: unknown, least: number, most: number): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

function toPair(element: unknown): readonly [string, string] | undefined {
  if (typeof element !== "string") return undefined;
  const at = element.indexOf("=");
  return at === -1 ? undefined : [element.slice(0, at), element.slice(at + 1)];
}

/** Undefined for invalid JSON; the caller notes it. The size is bounded by that of a row (CO24). */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}
