// SPDX-License-Identifier: Apache-2.0
// Predicates over kind, cluster, namespace, status and labels alone. Their rows are counted by cells of equal table,
// status, namespace and label set instead of one by one.
import { statusRank } from "../../model/status.ts";
import type { Predicate, TextTest } from "../language/query-predicate.ts";
import { type MatchedTexts, matchTexts } from "../scan/match-texts.ts";
import type { ClusterFields } from "../scan/row-filter.ts";
import { createTableTest, type TablePlace, type TableTest } from "../scan/table-test.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { type CellMask, everyStatus, intersectMasks, invertMask, unionMasks } from "./cell-mask.ts";

/** Answers of the tests of tables and labels are kept in one number. */
const [maxTableTests, maxLabelTests] = [22, 8];

/** Up to this many namespaces are looked up in the cells of each table; of more, all cells are looked at. */
const maxFewNamespaces = 16;

/** A mask, given the answers of tests as bits. */
type MaskReader = (answers: number) => CellMask;

/** A test whose answer has its own bit. */
interface NumberedTest {
  readonly bit: number;
  readonly test: TableTest;
}

const noFields: ClusterFields = { cluster: "", region: "", environment: "" };

/** A label with a value that passes. */
export interface LabelTest {
  readonly key: string;
  readonly test: TextTest;
}

/** A predicate as masks. */
export class CellFilter {
  readonly #namespaces: TextDictionary;
  /** Tests of the cluster, and tests of the kind. */
  readonly #clusterTests: NumberedTest[] = [];
  readonly #kindTests: NumberedTest[] = [];
  readonly #labelTests: LabelTest[] = [];
  readonly #namespaceTests: TextTest[] = [];
  readonly #read: MaskReader;
  /** The number of namespaces that `#namespaceMasks` was computed for. */
  #namespaceCount = -1;
  #namespaceMasks: readonly CellMask[] = [];
  readonly #masks = new Map<number, CellMask>();
  readonly #few = new Map<CellMask, Uint32Array | undefined>();

  private constructor(predicate: Predicate, namespaces: TextDictionary) {
    this.#namespaces = namespaces;
    this.#read = this.#compile(predicate);
  }

  /** Undefined if the predicate looks at other fields or has too many parts. `namespaces` are those of all clusters. */
  static create(predicate: Predicate, namespaces: TextDictionary): CellFilter | undefined {
    if (!isCellular(predicate)) return undefined;
    const filter = new CellFilter(predicate, namespaces);
    const tableTestCount = filter.#clusterTests.length + filter.#kindTests.length;
    return tableTestCount <= maxTableTests && filter.#labelTests.length <= maxLabelTests ? filter : undefined;
  }

  get labelTests(): readonly LabelTest[] {
    return this.#labelTests;
  }

  /**
   * Call it for each cluster, after the cluster has added its namespaces to those of the fleet. False if masks that were
   * read before are outdated.
   */
  open(): boolean {
    if (this.#namespaceTests.length === 0 || this.#namespaceCount === this.#namespaces.count) return true;
    this.#namespaceCount = this.#namespaces.count;
    this.#masks.clear();
    this.#few.clear();
    const { count } = this.#namespaces;
    this.#namespaceMasks = this.#namespaceTests.map((test) => maskOf(matchTexts(this.#namespaces, test), count));
    return false;
  }

  /** The answers of the tests that decide for all tables of a cluster, for `answersOf`. */
  answersOfCluster(fields: ClusterFields): number {
    return answersOf(this.#clusterTests, { resource: "", fields });
  }

  /** The answers of a table, for `maskOf`. */
  answersOf(resource: string, ofCluster: number): number {
    return ofCluster | answersOf(this.#kindTests, { resource, fields: noFields });
  }

  /** The mask of a table by its answers. `labels` are the label tests that hold, as bits. Equal masks are one object. */
  maskOf(answers: number, labels = 0): CellMask {
    const known = this.#masks.get(answers | labels);
    if (known !== undefined) return known;
    const mask = this.#read(answers | labels);
    this.#masks.set(answers | labels, mask);
    return mask;
  }

  /** The ids of the namespaces that a mask lets pass; undefined if they are many. */
  fewNamespaces(mask: Uint8Array): Uint32Array | undefined {
    const known = this.#few.get(mask);
    if (known !== undefined || this.#few.has(mask)) return known;
    const ids: number[] = [];
    for (let id = 0; id < mask.length && ids.length <= maxFewNamespaces; id += 1) if (mask[id] !== 0) ids.push(id);
    const few = ids.length <= maxFewNamespaces ? Uint32Array.from(ids) : undefined;
    this.#few.set(mask, few);
    return few;
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
      case "label":
        return everyOrNone(this.#labelTests.push(predicate) - 1);
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
    const bit = maxLabelTests + this.#clusterTests.length + this.#kindTests.length;
    const tests = predicate.kind === "resources" ? this.#kindTests : this.#clusterTests;
    tests.push({ bit, test: createTableTest(predicate) });
    return everyOrNone(bit);
  }
}

function answersOf(tests: readonly NumberedTest[], place: TablePlace): number {
  let answers = 0;
  for (const { bit, test } of tests) if (test(place) === true) answers |= 1 << bit;
  return answers;
}

function everyOrNone(bit: number): MaskReader {
  return (answers) => ((answers & (1 << bit)) === 0 ? 0 : everyStatus);
}

function join(
  readers: readonly MaskReader[],
  combine: (a: CellMask, b: CellMask) => CellMask,
  neutral: CellMask,
): MaskReader {
  return (answers) => readers.reduce((mask, read) => combine(mask, read(answers)), neutral);
}

function maskOf(matched: MatchedTexts, count: number): CellMask {
  if (matched.kind === "none") return 0;
  const mask = new Uint8Array(count);
  if (matched.kind === "one") mask[matched.id] = everyStatus;
  else for (let id = 0; id < count; id += 1) mask[id] = -(matched.isMatched[id] ?? 0) & everyStatus;
  return mask;
}

function isCellular(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case "all":
    case "resources":
    case "status":
    case "label":
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
