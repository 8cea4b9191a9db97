// SPDX-License-Identifier: Apache-2.0
// Predicates over kind, cluster, namespace and status alone. Their rows are counted by cells of equal namespace and
// status instead of one by one.
import { statusRank } from "../../model/status.ts";
import type { Predicate, TextTest } from "../language/query-predicate.ts";
import { type MatchedTexts, matchTexts } from "../scan/match-texts.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { type CellMask, everyStatus, intersectMasks, invertMask, unionMasks } from "./cell-mask.ts";
import { createTableTest, type TablePlace, type TableTest } from "./table-test.ts";

/** Answers of table tests are kept in one number. */
const maxTableTests = 30;

/** A mask, given the answers of the table tests as bits. */
type MaskReader = (answers: number) => CellMask;

/** A predicate as masks of one table after another. */
export class CellFilter {
  readonly #fleetNamespaces: TextDictionary;
  readonly #tableTests: TableTest[] = [];
  readonly #namespaceTests: TextTest[] = [];
  /** The namespaces of the fleet that pass each test, and the number of namespaces at that time. */
  #matched: readonly MatchedTexts[] = [];
  #matchedCount = -1;
  #cluster: ClusterTexts | undefined;
  #version = -1;
  /** For the present cluster: masks of the namespace tests, and whole masks by the answers of table tests. */
  #namespaceMasks: readonly CellMask[] = [];
  readonly #masks = new Map<number, CellMask>();
  readonly #read: MaskReader;

  /** `fleetNamespaces` holds the namespaces of all clusters. */
  constructor(predicate: Predicate, fleetNamespaces: TextDictionary) {
    this.#fleetNamespaces = fleetNamespaces;
    this.#read = this.#compile(predicate);
  }

  /** Undefined if the predicate looks at other fields or has too many parts. */
  static create(predicate: Predicate, fleetNamespaces: TextDictionary): CellFilter | undefined {
    if (!isCellular(predicate)) return undefined;
    const filter = new CellFilter(predicate, fleetNamespaces);
    return filter.#tableTests.length > maxTableTests ? undefined : filter;
  }

  /** The mask of a table. Tables of a cluster with equal masks get the same array. */
  maskOf(place: TablePlace, cluster: ClusterTexts): CellMask {
    this.#open(cluster);
    let answers = 0;
    for (let at = 0; at < this.#tableTests.length; at += 1)
      if (this.#tableTests[at]?.(place) === true) answers |= 1 << at;
    const known = this.#masks.get(answers);
    if (known !== undefined) return known;
    const mask = this.#read(answers);
    this.#masks.set(answers, mask);
    return mask;
  }

  #compile(predicate: Predicate): MaskReader {
    switch (predicate.kind) {
      case "status": {
        const bits = 1 << statusRank(predicate.status);
        return () => bits;
      }
      case "and":
        return join(
          predicate.parts.map((part) => this.#compile(part)),
          intersectMasks,
          everyStatus,
        );
      case "or":
        return join(
          predicate.parts.map((part) => this.#compile(part)),
          unionMasks,
          0,
        );
      case "not": {
        const of = this.#compile(predicate.of);
        return (answers) => invertMask(of(answers));
      }
      case "field":
        if (predicate.field === "namespace") {
          const at = this.#namespaceTests.push(predicate.test) - 1;
          return () => this.#namespaceMasks[at] ?? 0;
        }
        return this.#compileTable(predicate);
      default:
        return this.#compileTable(predicate);
    }
  }

  #compileTable(predicate: Predicate): MaskReader {
    if (predicate.kind === "all") return () => everyStatus;
    const at = this.#tableTests.push(createTableTest(predicate)) - 1;
    return (answers) => ((answers & (1 << at)) === 0 ? 0 : everyStatus);
  }

  /** Namespaces are tested once for the fleet, then each cluster looks its own ones up. */
  #open(cluster: ClusterTexts): void {
    const version = cluster.namespaceVersion;
    if (cluster === this.#cluster && version === this.#version) return;
    this.#cluster = cluster;
    this.#version = version;
    this.#masks.clear();
    if (this.#namespaceTests.length === 0) return;
    // The cluster adds its namespaces to those of the fleet when they are first asked for.
    const { fleetNamespaces } = cluster;
    if (this.#matchedCount !== this.#fleetNamespaces.count) {
      this.#matchedCount = this.#fleetNamespaces.count;
      this.#matched = this.#namespaceTests.map((test) => matchTexts(this.#fleetNamespaces, test));
    }
    this.#namespaceMasks = this.#matched.map((matched) => maskOfNamespaces(fleetNamespaces, matched));
  }
}

function join(
  readers: readonly MaskReader[],
  combine: (a: CellMask, b: CellMask) => CellMask,
  neutral: CellMask,
): MaskReader {
  return (answers) => readers.reduce((mask, read) => combine(mask, read(answers)), neutral);
}

function maskOfNamespaces(fleetNamespaces: Uint32Array, matched: MatchedTexts): CellMask {
  if (matched.kind === "none") return 0;
  const mask = new Uint8Array(fleetNamespaces.length);
  if (matched.kind === "one") {
    const number = fleetNamespaces.indexOf(matched.id);
    if (number === -1) return 0;
    mask[number] = everyStatus;
    return mask;
  }
  const { isMatched } = matched;
  let found = 0;
  for (let number = 0; number < mask.length; number += 1) {
    const flag = isMatched[fleetNamespaces[number] ?? 0] ?? 0;
    mask[number] = -flag & everyStatus;
    found |= flag;
  }
  return found === 0 ? 0 : mask;
}

function isCellular(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case "all":
    case "resources":
    case "status":
      return true;
    case "field":
      return ["cluster", "region", "environment", "namespace"].includes(predicate.field);
    case "and":
    case "or":
      return predicate.parts.every(isCellular);
    case "not":
      return isCellular(predicate.of);
    default:
      return false;
  }
}
