// SPDX-License-Identifier: Apache-2.0
import type { Answer } from "./answer.ts";
import { type RunFacts, TextNormaliser } from "./normalise-text.ts";
import { sortKeys } from "./sort-keys.ts";
import { Tokens } from "./tokens.ts";

/** Length of what a server appends to generateName, and where it cuts that before. */
const drawnLength = 5;
const longestPrefix = 58;

type Body = Readonly<Record<string, unknown>>;

/**
 * Takes out of the answers of one scenario what differs from run to run and keeps what they have in common: equal uids
 * and resourceVersions get equal tokens, numbered as they first appear. The resourceVersion of a list or a bookmark
 * tells how far the whole server is, which others move on, so it is only told that it is there. Objects are walked in
 * the order of their keys, so the order in which a server writes them does not count.
 */
export class Normaliser {
  readonly #text: TextNormaliser;
  readonly #resourceVersions = new Tokens("resourceVersion");
  readonly #run: string;
  /** While a bookmark is walked: no resourceVersion in it is that of an object. */
  #isInBookmark = false;
  /** While a body is walked that names a group of this run: what is hashed from its name differs too. */
  #isOfRun = false;

  constructor(facts: RunFacts) {
    this.#text = new TextNormaliser(facts);
    this.#run = facts.run;
  }

  normalise({ status, headers, body }: Answer): Answer {
    this.#learnDrawnNames(body);
    this.#isOfRun = JSON.stringify(body ?? null).includes(this.#run);
    const named = Object.entries(headers).map(([name, value]) => [name, this.#header(name, value)] as const);
    return {
      status,
      headers: Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1))),
      ...(body === undefined ? {} : { body: this.#value(sortKeys(body)) }),
    };
  }

  #header(name: string, value: string | readonly string[]): string | readonly string[] {
    if (name === "etag") return "<etag>";
    return typeof value === "string" ? this.#text.normalise(value) : value.map((each) => this.#text.normalise(each));
  }

  #learnDrawnNames(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#learnDrawnNames(item);
    else if (isBody(value)) {
      const { generateName, name } = value;
      if (typeof generateName === "string" && typeof name === "string") {
        const prefix = generateName.slice(0, longestPrefix);
        const isDrawn = name.startsWith(prefix) && name.length === prefix.length + drawnLength;
        if (isDrawn) this.#text.learnDrawnName(name, prefix);
      }
      for (const part of Object.values(value)) this.#learnDrawnNames(part);
    }
  }

  #value(value: unknown): unknown {
    if (typeof value === "string") return this.#text.normalise(value);
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (!isBody(value)) return value;
    const entries = Object.entries(value).map(([key, part]) => [
      this.#text.normalise(key),
      this.#member(value, key, part),
    ]);
    return Object.fromEntries(entries) as unknown;
  }

  #member(owner: Body, key: string, part: unknown): unknown {
    switch (key) {
      case "metadata":
        return isBody(part) ? this.#metadata(part, this.#isInBookmark || isListLike(owner)) : this.#value(part);
      case "object":
        return owner["type"] === "BOOKMARK" ? this.#bookmark(part) : this.#value(part);
      case "storageVersionHash":
        return this.#isOfRun ? "<hash>" : part;
      case "cells":
        return Array.isArray(part) ? part.map((cell) => this.#cell(cell)) : this.#value(part);
      case "nodePort":
      case "healthCheckNodePort":
        return typeof part === "number" && part > 0 ? "<drawn port>" : part;
      default:
        return this.#value(part);
    }
  }

  #metadata(metadata: Body, isOfList: boolean): unknown {
    const { resourceVersion, managedFields, continue: token, ...rest } = metadata;
    const others = this.#value(rest) as Body;
    return {
      ...others,
      ...(typeof token === "string" && token !== "" ? { continue: "<continue>" } : {}),
      // Who set which field is not compared yet; that it is told is.
      ...(managedFields === undefined ? {} : { managedFields: "<managed fields>" }),
      ...(typeof resourceVersion === "string"
        ? { resourceVersion: isOfList ? "<of the list>" : this.#resourceVersions.of(resourceVersion) }
        : {}),
    };
  }

  #bookmark(object: unknown): unknown {
    this.#isInBookmark = true;
    const normalised = this.#value(object);
    this.#isInBookmark = false;
    return normalised;
  }

  /** Ages count seconds since the object was made. */
  #cell(cell: unknown): unknown {
    if (typeof cell === "string" && /^(?:\d+[ydhms])+$/.test(cell)) return "<age>";
    return this.#value(cell);
  }
}

function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListLike({ kind, items }: Body): boolean {
  return Array.isArray(items) || kind === "Table" || (typeof kind === "string" && kind.endsWith("List"));
}
