// SPDX-License-Identifier: Apache-2.0
import type { ResourceId } from "../model/gvr.ts";
import type { ColumnSpec, ColumnValue } from "../model/rows/row.ts";
import type { StatusReport } from "../model/status.ts";
import type { ReconcileFacts } from "../model/status-rules.ts";

/** A column of a kind. */
export interface KindColumn extends ColumnSpec {
  /** Each text of the list is the JSON of one element (KI7). */
  readonly isJson?: boolean;
  /** Shown in a table of this kind by default. */
  readonly isMain?: boolean;
  /**
   * Never cut: if the row does not fit, the object is refused instead (KI18). For values whose meaning changes when
   * shortened.
   */
  readonly isWhole?: boolean;
  /** Overrides the bound of KI6 for lists that Kubernetes itself makes longer. */
  readonly maxBytes?: number;
}

/** What is known of the cluster beyond a single object (KI17). */
export interface ClusterFacts {
  /** Root namespaces of the meshes found. A policy without selector there applies to the whole mesh. */
  readonly meshRootNamespaces: ReadonlySet<string>;
  /**
   * Root namespace of each mesh configuration found, by `namespace/name` of its ConfigMap (KI21). Omitted if none is
   * known.
   */
  readonly meshConfigRoots?: ReadonlyMap<string, string>;
}

/** Collects the columns of one row. An absent value is not set. `boundColumns` applies the bounds afterwards (KI6). */
export type Columns = Map<string, ColumnValue>;

/** The projection of one object, without the metadata that all kinds share. */
export interface Projected {
  readonly columns: Columns;
  /** The kind's own status, used if no fixed rule applies (KI9). Undefined: the standard conditions decide (KI10). */
  readonly status?: StatusReport | undefined;
  /** How a Pod or Job ended (CO14). */
  readonly outcome?: "succeeded" | "failed" | undefined;
  /**
   * True if it wants Pods and none is ready: it is starting or has lost them all, and the object does not show which
   * (KI20).
   */
  readonly isWithoutAny?: boolean;
  /** What the controller has observed (CO16); undefined for kinds without a controller. */
  readonly reconcile?: ReconcileFacts | undefined;
}

/** One kind: which resource it reads, and how an object becomes a row. Pure, and never throws (KI3). */
export interface Kind {
  readonly resource: ResourceId;
  readonly kind: string;
  /** The API versions that it can read, the preferred one first (KI13). */
  readonly versions: readonly string[];
  readonly isNamespaced: boolean;
  readonly columns: readonly KindColumn[];
  /** The kind only configures: healthy once it exists, unless its conditions show otherwise (KI11). */
  readonly isConfiguration?: boolean;
  /** Its rows depend on `ClusterFacts` (KI17). */
  readonly usesFacts?: boolean;
  /** Its status depends on how long the observer has seen the object at its generation (KI20). */
  readonly needsGenerationAge?: boolean;
  project(object: unknown, facts: ClusterFacts): Projected;
}

/** A kind whose rows are derived from objects of another kind (KI16). */
export interface DerivedKind {
  readonly resource: ResourceId;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly columns: readonly KindColumn[];
  /** The resource whose objects it reads. */
  readonly from: ResourceId;
  /** Its rows depend on `ClusterFacts` (KI17). */
  readonly usesFacts?: boolean;
  /**
   * The row of that object, or undefined if the object is not of this kind. Its metadata are those of the source
   * object.
   */
  derive(object: unknown, facts: ClusterFacts): Projected | undefined;
}

/**
 * A list of structured values as a column: the JSON of each element, fields in the given order, absent fields left out
 * (KI7).
 */
export function jsonTexts(elements: Iterable<Readonly<Record<string, unknown>>>): string[] {
  return Array.from(elements, (element) => JSON.stringify(element));
}

/** Sets a column unless its value is absent or an empty list. */
export function setColumn(columns: Columns, name: string, value: ColumnValue | undefined): void {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return;
  columns.set(name, value);
}

/** True for the same texts in the same order. */
export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

/** Sets a column of milliseconds since 1970 unless the time was not reported (CO21). */
export function setTime(columns: Columns, name: string, atMs: number): void {
  if (atMs !== 0) columns.set(name, atMs);
}
