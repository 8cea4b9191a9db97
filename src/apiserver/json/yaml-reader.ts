// SPDX-License-Identifier: Apache-2.0
// Converts the nodes of a YAML document to a value: resolves aliases and enforces limits.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type YAMLMap,
} from "yaml";
import { type Draft, type DraftObject, getKey, isList, isObject, setKey } from "./json.ts";
import { quoteGo } from "./quote-go.ts";
import { findExcess } from "./yaml-bounds.ts";
import { resolveNumber, resolvePlainScalar, type YamlScalar } from "./yaml-scalar.ts";

/**
 * A text that is not YAML, or that has no JSON equivalent. The message follows kube-apiserver's where the parsers
 * agree.
 */
export class YamlTextError extends Error {
  override readonly name = "YamlTextError";
}

/**
 * Maximum number of nodes from aliases: ten times the need of a 3 MiB body that repeats a long pod template for every
 * kind of workload.
 */
const maxAliasedNodeCount = 100_000;

/** Reads the first document of one text, once. */
export class YamlReader {
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;
  readonly #anchors = new Map<string, unknown>();
  readonly #open = new Set<string>();
  readonly #duplicates: string[] = [];
  readonly #maxDepth: number;
  #depth = 0;
  #aliasDepth = 0;
  #aliasedNodeCount = 0;

  constructor(text: string, { maxDepth }: { readonly maxDepth: number }) {
    this.#maxDepth = maxDepth;
    this.#document = parseOrRefuse(text, this.#lines, maxDepth);
  }

  /** `line 6: key "a" already set in map` for each repeated key. */
  get duplicates(): readonly string[] {
    return this.#duplicates;
  }

  /** Reads the document; null if there is none. Throws a YamlTextError. */
  read(): Draft {
    return this.#value(this.#document.contents);
  }

  #value(node: unknown): Draft {
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return this.#aliased(node.source);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    if (this.#aliasDepth > 0) this.#countAliased();
    if (isScalar(node)) return finite(resolveScalar(node));
    if (anchor !== undefined) this.#open.add(anchor);
    this.#depth += 1;
    if (this.#depth > this.#maxDepth) throw tooDeep(this.#maxDepth);
    const value = isMap(node) ? this.#map(node) : isSeq(node) ? node.items.map((item) => this.#value(item)) : null;
    this.#depth -= 1;
    if (anchor !== undefined) this.#open.delete(anchor);
    return value;
  }

  #aliased(name: string): Draft {
    if (!this.#anchors.has(name)) throw new YamlTextError(`yaml: unknown anchor '${name}' referenced`);
    if (this.#open.has(name)) throw new YamlTextError(`yaml: anchor '${name}' value contains itself`);
    this.#aliasDepth += 1;
    const value = this.#value(this.#anchors.get(name));
    this.#aliasDepth -= 1;
    return value;
  }

  #countAliased(): void {
    this.#aliasedNodeCount += 1;
    if (this.#aliasedNodeCount > maxAliasedNodeCount)
      throw new YamlTextError("yaml: document contains excessive aliasing");
  }

  #map(node: YAMLMap): DraftObject {
    const object: DraftObject = {};
    const merges: Draft[] = [];
    const seen = new Set<string>();
    for (const pair of node.items) {
      if (isMergeKey(pair)) {
        merges.push(this.#value(pair.value));
        continue;
      }
      const key = this.#key(pair);
      const name = String(key);
      if (seen.has(name)) this.#complain(pair, key);
      seen.add(name);
      setKey(object, name, this.#value(pair.value));
    }
    for (const merge of merges) mergeInto(object, merge);
    return object;
  }

  #key(pair: Pair): YamlScalar {
    const node = pair.key;
    const key = this.#value(node);
    if (typeof key === "object" && key !== null)
      throw new YamlTextError(
        isList(key) ? "yaml: invalid map key: []interface {}" : "yaml: invalid map key: map[interface {}]interface {}",
      );
    if (key === null) throw new YamlTextError("unsupported map key of type: %!s(<nil>), key: <nil>");
    return key;
  }

  #complain(pair: Pair, key: YamlScalar): void {
    if (this.#aliasDepth > 0) return;
    const node = pair.key;
    const at = isScalar(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
    const shown = typeof key === "string" ? quoteGo(key) : String(key);
    this.#duplicates.push(`line ${this.#lines.linePos(at).line}: key ${shown} already set in map`);
  }
}

function isMergeKey(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.value === "<<" && pair.key.type === "PLAIN" && pair.key.tag === undefined;
}

/** Own keys take precedence over merged ones, and earlier merged maps over later ones. */
function mergeInto(object: DraftObject, merge: Draft): void {
  for (const part of isList(merge) ? merge : [merge]) {
    if (!isObject(part)) throw new YamlTextError("yaml: map merge requires map or sequence of maps as the value");
    for (const key of Object.keys(part)) if (getKey(object, key) === undefined) setKey(object, key, part[key] ?? null);
  }
}

function resolveScalar(node: { readonly value: unknown; readonly type?: unknown; readonly tag?: string }): YamlScalar {
  const source = typeof node.value === "string" ? node.value : "";
  switch (node.tag) {
    case undefined:
      return node.type === "PLAIN" ? resolvePlainScalar(source) : source;
    case "tag:yaml.org,2002:int":
    case "tag:yaml.org,2002:float":
      return resolveNumber(source.replaceAll("_", "")) ?? source;
    case "tag:yaml.org,2002:bool":
    case "tag:yaml.org,2002:null":
      return resolvePlainScalar(source);
    case "tag:yaml.org,2002:binary":
      return decodeBinary(source);
    default:
      return source;
  }
}

function decodeBinary(source: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(source), (char) => char.charCodeAt(0)));
  } catch (reason) {
    throw new YamlTextError("yaml: !!binary value contains invalid base64 data", { cause: reason });
  }
}

function finite(value: YamlScalar): YamlScalar {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  const shown = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  throw new YamlTextError(`json: unsupported value: ${shown}`);
}

/** Parses with all scalars as strings: `resolveScalar` determines their values. */
function parseOrRefuse(text: string, lineCounter: LineCounter, maxDepth: number): Document.Parsed {
  const excess = findExcess(text, maxDepth);
  if (excess === "depth") throw tooDeep(maxDepth);
  if (excess === "length") throw new YamlTextError("yaml: document has too many tokens; send it as JSON");
  let document: Document.Parsed;
  try {
    document = parseDocument(text, {
      version: "1.1",
      schema: "failsafe",
      uniqueKeys: false,
      lineCounter,
      logLevel: "silent",
      prettyErrors: false,
    });
  } catch (reason) {
    // The parser is recursive, and only the stack bounds nesting by indentation.
    throw reason instanceof RangeError ? tooDeep(maxDepth) : reason;
  }
  // Further documents in the text are ignored.
  const error = document.errors.find(({ code }) => code !== "MULTIPLE_DOCS");
  if (error !== undefined) {
    const line = lineCounter.linePos(error.pos[0]).line;
    throw new YamlTextError(
      `yaml: ${line > 1 ? `line ${line}: ` : ""}${sentences.get(error.code) ?? "could not find expected ':'"}`,
    );
  }
  if (document.directives.yaml.explicit === true && document.directives.yaml.version !== "1.1")
    throw new YamlTextError("yaml: found incompatible YAML document");
  return document;
}

const sentences: ReadonlyMap<string, string> = new Map([
  ["BLOCK_AS_IMPLICIT_KEY", "mapping values are not allowed in this context"],
  ["BLOCK_IN_FLOW", "did not find expected node content"],
  ["TAB_AS_INDENT", "found character that cannot start any token"],
  ["BAD_SCALAR_START", "found character that cannot start any token"],
  ["MISSING_CHAR", "found unexpected end of stream"],
  ["BAD_DQ_ESCAPE", "found unknown escape character"],
  ["BAD_ALIAS", "did not find expected alphabetic or numeric character"],
  ["BAD_COLLECTION_TYPE", "did not find expected node content"],
]);

function tooDeep(maxDepth: number): YamlTextError {
  return new YamlTextError(`yaml: exceeded max depth of ${maxDepth}`);
}
